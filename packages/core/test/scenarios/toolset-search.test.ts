import {
  Agent,
  CombinedToolset,
  DeferredToolRequests,
  dumpMessages,
  FunctionToolset,
  type JsonObject,
  keywordsSearch,
  loadMessages,
  matchesToolSelector,
  type Message,
  ModelRetry,
  type RunContext,
  ToolReturn,
  type ToolDefinition,
  type ToolSelector,
  tool,
  toolSearch,
  UnexpectedModelBehavior,
  UserError,
} from 'holdpoint';
import { calls, reply, says, type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { partsOf } from '../support/conversation.ts';
import { expectParked, ways } from '../support/deferral.ts';
import { rejectionOf } from '../support/latch.ts';
import { named, offeredTo, resultsIn, toolsetOf } from '../support/toolsets.ts';

const search = (...queries: readonly string[]) => calls('search_tools', { queries: [...queries] });

/** Tools `invoice_0`, `invoice_1` and so on, of which each knows a word of its own. */
const invoices = (count: number) =>
  new FunctionToolset(
    Array.from({ length: count }, (_, at) =>
      tool({
        name: `invoice_${at}`,
        description: `Reads the invoices of customer${at}.`,
        execute: (_args, ctx) => `${ctx.toolName} ran`,
      }),
    ),
  ).deferLoading();

/** What the searches of a conversation found. */
const found = (messages: readonly Message[]) =>
  partsOf(messages).flatMap((part) =>
    part.kind === 'tool-return' && part.toolKind === 'tool-search'
      ? [(part.content as { discovered_tools: { name: string }[] }).discovered_tools]
      : [],
  );

const runOn = (
  toolset: FunctionToolset | ReturnType<typeof invoices>,
  ...script: ScriptEntry[]
) => {
  const model = scriptedModel(...script);
  return { model, agent: new Agent({ model, tools: [named('plain')], toolsets: [toolset] }) };
};

describe('1,000 hidden tools', () => {
  it('are not sent: the model gets the search tool and what it found, and nothing else', async () => {
    const { model, agent } = runOn(
      invoices(1000),
      search('customer731'),
      calls('invoice_731'),
      search('customer5', 'customer6'),
      says('Done.'),
    );

    const result = await agent.run('Go.');

    expect(offeredTo(model)).toEqual([
      ['plain', 'search_tools'],
      ['plain', 'invoice_731', 'search_tools'],
      ['plain', 'invoice_731', 'search_tools'],
      ['plain', 'invoice_5', 'invoice_6', 'invoice_731', 'search_tools'],
    ]);
    expect(resultsIn(result.messages)[1]).toBe('invoice_731 ran');
    expect(JSON.stringify(model.calls[3])).not.toContain('customer42');
  });

  it('are found ten at a time, those that are not known yet first', async () => {
    const { agent } = runOn(invoices(1000), search('invoices'), search('invoices'), says('Done.'));

    const { messages } = await agent.run('Go.');

    const [first = [], second = []] = found(messages);
    expect([first.length, second.length]).toEqual([10, 10]);
    expect(new Set([...first, ...second].map(({ name }) => name)).size).toBe(20);
  });

  it('are found as many at a time as maxResults says', async () => {
    const model = scriptedModel(
      search('invoices'),
      says('Done.'),
      search('invoices'),
      says('Done.'),
    );
    const agent = new Agent({
      model,
      toolsets: [invoices(1000)],
      capabilities: [toolSearch({ maxResults: 3 })],
    });

    const byAgent = await agent.run('Go.');
    const byRun = await agent.run('Go.', { capabilities: [toolSearch({ maxResults: 2 })] });

    expect(found(byAgent.messages)[0]).toHaveLength(3);
    expect(found(byRun.messages)[0]).toHaveLength(2);
  });
});

describe('a search', () => {
  it('marks its call and its return, so that others know what they are', async () => {
    const { agent } = runOn(invoices(2), search('customer1'), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(partsOf(messages)).toMatchObject([
      { kind: 'user-prompt' },
      { kind: 'tool-call', toolKind: 'tool-search' },
      {
        kind: 'tool-return',
        toolKind: 'tool-search',
        content: { discovered_tools: [{ name: 'invoice_1' }] },
      },
      { kind: 'text' },
    ]);
  });

  it('says when nothing was found', async () => {
    const { model, agent } = runOn(invoices(2), search('weather'), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(partsOf(messages)[2]).toMatchObject({
      content: { discovered_tools: [], message: expect.any(String) },
    });
    expect(offeredTo(model)[1]).toEqual(['plain', 'search_tools']);
  });

  it.each([
    ['nothing', { queries: [] }],
    ['blanks', { queries: ['', '  '] }],
    ['no list', { queries: 'customer1' }],
    ['no texts', { queries: [1] }],
    ['something else', { queries: ['a'], limit: 100 }],
  ])('for %s goes back to the model', async (_what, args: JsonObject) => {
    const { agent } = runOn(invoices(2), calls('search_tools', args), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['retry search_tools']);
  });

  it('prefers tools that share more words, by name and description', () => {
    const tools = [
      { name: 'send_mail', description: 'Sends a letter.' },
      { name: 'read_mail', description: 'Reads what others send.' },
      { name: 'weather' },
    ];

    const names = (...queries: string[]) =>
      keywordsSearch(queries, tools, { limit: 5 }).map(({ name }) => name);

    expect(names('READ mail')).toEqual(['read_mail', 'send_mail']);
    expect(names('send', 'letter')).toEqual(['send_mail', 'read_mail']);
    expect(names('mai')).toEqual([]);
  });

  it('is not there when nothing is hidden, and its name is free then', async () => {
    const { model, agent } = runOn(toolsetOf('search_tools'), calls('search_tools'), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(offeredTo(model)[0]).toEqual(['plain', 'search_tools']);
    expect(resultsIn(messages)).toEqual(['search_tools ran']);
  });

  it('has a reserved name when something is hidden', async () => {
    const toolset = new CombinedToolset([invoices(1), toolsetOf('search_tools')]);
    const model = scriptedModel('unused');

    const error = await rejectionOf(new Agent({ model, toolsets: [toolset] }).run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining("'search_tools'") });
    expect(model.calls).toEqual([]);
  });

  it('works for tools of the agent itself', async () => {
    const hidden = tool({ name: 'hidden', deferLoading: true, execute: () => 'found' });
    const model = scriptedModel(search('hidden'), calls('hidden'), says('Done.'));

    const result = await new Agent({ model, tools: [hidden, named('plain')] }).run('Go.');

    expect(offeredTo(model)).toEqual([
      ['plain', 'search_tools'],
      ['hidden', 'plain', 'search_tools'],
      ['hidden', 'plain', 'search_tools'],
    ]);
    expect(resultsIn(result.messages)[1]).toBe('found');
  });
});

describe('what was discovered', () => {
  it.each(ways)('is known to the next run: messages $way', async ({ messages: carry }) => {
    const { model, agent } = runOn(
      invoices(20),
      search('customer7'),
      says('Found.'),
      calls('invoice_7'),
      says('Done.'),
    );

    const first = await agent.run('Find it.');
    const second = await agent.run('Use it.', { messageHistory: carry(first.messages) });

    expect(offeredTo(model)[2]).toEqual(['plain', 'invoice_7', 'search_tools']);
    expect(resultsIn(second.messages).at(-1)).toBe('invoice_7 ran');
  });

  it('is known to another agent with the same tools, and to no other conversation', async () => {
    const { agent } = runOn(invoices(20), search('customer7'), says('Found.'));
    const first = await agent.run('Find it.');
    const other = runOn(invoices(20), says('Yes.'), says('No.'));

    await other.agent.run('Go.', { messageHistory: loadMessages(dumpMessages(first.messages)) });
    await other.agent.run('Go.');

    expect(offeredTo(other.model)).toEqual([
      ['plain', 'invoice_7', 'search_tools'],
      ['plain', 'search_tools'],
    ]);
  });

  it('is what the tool is called now: a name that is gone reveals nothing', async () => {
    const { agent } = runOn(invoices(8), search('customer7'), says('Found.'));
    const first = await agent.run('Find it.');
    const fewer = runOn(invoices(3), says('Hm.'));

    await fewer.agent.run('Go.', { messageHistory: first.messages });

    expect(offeredTo(fewer.model)).toEqual([['plain', 'search_tools']]);
  });

  it('is not what a tool of the application claims to have found', async () => {
    const liar = tool({
      name: 'liar',
      execute: () => ({ discovered_tools: [{ name: 'invoice_1' }] }),
    });
    const model = scriptedModel(calls('liar'), says('Done.'));

    await new Agent({ model, tools: [liar], toolsets: [invoices(3)] }).run('Go.');

    expect(offeredTo(model)[1]).toEqual(['liar', 'search_tools']);
  });
});

describe('a hidden tool that is called early', () => {
  it('does not run: the first time is free, then it counts', async () => {
    const early = calls('invoice_1');
    const { agent } = runOn(invoices(3), early, early, says('Sorry.'));

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['retry invoice_1', 'retry invoice_1']);
    expect(partsOf(messages)[2]).toMatchObject({ content: expect.stringContaining('Search') });
  });

  it('ends the run when it is called once too often', async () => {
    const early = calls('invoice_1');
    const { agent } = runOn(invoices(3), early, early, early);

    expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(UnexpectedModelBehavior);
  });

  it('is free for each tool once', async () => {
    const { agent } = runOn(
      invoices(3),
      reply(calls('invoice_0'), calls('invoice_1')),
      calls('invoice_2'),
      says('Sorry.'),
    );

    const { messages } = await agent.run('Go.', { retries: 0 });

    expect(resultsIn(messages)).toHaveLength(3);
  });

  it('is early also beside the search that finds it', async () => {
    const { agent } = runOn(
      invoices(3),
      reply(search('customer1'), calls('invoice_1')),
      calls('invoice_1'),
      says('Done.'),
    );

    const { messages } = await agent.run('Go.', { retries: 0 });

    expect(resultsIn(messages).slice(1)).toEqual(['retry invoice_1', 'invoice_1 ran']);
  });

  it('does not run for another tool either, and is not among those that are named', async () => {
    const seen: unknown[] = [];
    const outer = tool({
      name: 'outer',
      async execute(_args, { toolManager }) {
        for (const name of ['invoice_1', 'nobody']) {
          await toolManager.call(name).catch((error: unknown) => seen.push(error));
        }
      },
    });
    const model = scriptedModel(calls('outer'), says('Done.'));

    await new Agent({ model, tools: [outer], toolsets: [invoices(3)] }).run('Go.');

    expect(seen).toEqual([expect.any(ModelRetry), expect.any(ModelRetry)]);
    expect(String(seen[1])).not.toContain('invoice');
  });
});

describe('a ToolReturn with tools', () => {
  const open = (...tools: string[]) =>
    tool({ name: 'open', execute: () => new ToolReturn({ returnValue: 'opened', tools }) });

  it.each(ways)('reveals them, also to later runs: messages $way', async ({ messages: carry }) => {
    const model = scriptedModel(calls('open'), calls('invoice_2'), 'Done.', 'Still.');
    const agent = new Agent({ model, tools: [open('invoice_2')], toolsets: [invoices(5)] });

    const result = await agent.run('Go.');
    await agent.run('Go on.', { messageHistory: carry(result.messages) });

    expect(offeredTo(model)).toEqual([
      ['open', 'search_tools'],
      ['open', 'invoice_2', 'search_tools'],
      ['open', 'invoice_2', 'search_tools'],
      ['open', 'invoice_2', 'search_tools'],
    ]);
    expect(resultsIn(result.messages)).toEqual(['opened', 'invoice_2 ran']);
    expect(partsOf(result.messages)).toContainEqual(
      expect.objectContaining({ kind: 'tool-availability-delta', toolsAdded: ['invoice_2'] }),
    );
  });

  it('tells of each tool once', async () => {
    const model = scriptedModel(reply(calls('open'), calls('open')), calls('open'), says('Done.'));
    const agent = new Agent({ model, tools: [open('invoice_2')], toolsets: [invoices(5)] });

    const { messages } = await agent.run('Go.');

    const deltas = partsOf(messages).filter((part) => part.kind === 'tool-availability-delta');
    expect(deltas).toHaveLength(1);
  });
});

describe('a hidden tool that requires approval', () => {
  const output = [String, DeferredToolRequests] as const;
  /** An agent whose hidden tool pays, and a list of what was paid. */
  function cashier(script: readonly ScriptEntry[]) {
    const paid: number[] = [];
    const pay = tool({
      name: 'pay',
      inputSchema: z.object({ euros: z.number() }),
      requiresApproval: true,
      deferLoading: true,
      execute: ({ euros }) => void paid.push(euros),
    });
    const check = tool({
      name: 'check',
      inputSchema: z.object({ euros: z.number() }),
      execute: ({ euros }) => void paid.push(euros),
    });
    const outer = tool({
      name: 'outer',
      execute: (_args, { toolManager }) => toolManager.call('pay', { euros: 9 }),
    });
    const reveal = tool({
      name: 'reveal',
      execute: () => new ToolReturn({ returnValue: 'there', tools: ['pay', 'guarded_check'] }),
    });
    const agent = new Agent({
      model: scriptedModel(...script),
      tools: [outer, reveal],
      toolsets: [
        new FunctionToolset([pay]),
        new FunctionToolset([check]).approvalRequired().prefixed('guarded').deferLoading(),
      ],
      output,
    });
    return { agent, paid };
  }

  it.each<[string, ScriptEntry[], string]>([
    ['found', [search('pay')], 'pay'],
    ['revealed', [calls('reveal')], 'pay'],
    ['found, guarded by its toolset', [search('check')], 'guarded_check'],
    ['revealed, guarded by its toolset', [calls('reveal')], 'guarded_check'],
  ])('waits once it is %s, and runs when it is approved', async (_what, first, toolName) => {
    const { agent, paid } = cashier([...first, calls(toolName, { euros: 5 }), says('Paid.')]);

    const parked = await expectParked(agent.run('Go.'));
    expect(parked.output.approvals).toMatchObject([{ toolName }]);
    expect(paid).toEqual([]);
    const messages = loadMessages(dumpMessages(parked.messages));
    await agent.resume({ messages }, parked.output.buildResults({ approveAll: true }));

    expect(paid).toEqual([5]);
  });

  it.each<[string, ScriptEntry[]]>([
    ['called before it is found', [calls('pay', { euros: 5 }), says('Sorry.')]],
    ['called beside its search', [reply(search('pay'), calls('pay', { euros: 5 })), says('No.')]],
    ['called by another tool', [calls('outer'), says('Sorry.')]],
    ['called by another tool, once found', [search('pay'), calls('outer'), says('Sorry.')]],
    ['called and parked', [search('pay'), calls('pay', { euros: 5 })]],
    ['called with wrong arguments', [search('pay'), calls('pay', { euros: 'x' }), says('No.')]],
  ])('runs on no path without approval: %s', async (_what, script) => {
    const { agent, paid } = cashier(script);

    await agent.run('Go.').catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
    });

    expect(paid).toEqual([]);
  });

  it('runs on no path without approval: denied, given up, or asked again', async () => {
    const { agent, paid } = cashier([
      search('pay'),
      calls('pay', { euros: 5 }, { id: 'pay-1' }),
      says('Denied.'),
      says('Given up.'),
    ]);
    const parked = await expectParked(agent.run('Go.'));
    const { messages: messageHistory } = parked;

    await agent.resume(parked, parked.output.buildResults({ approvals: { 'pay-1': false } }));
    await agent.run('Leave it.', { messageHistory, onOpenCalls: 'close' });
    await expectParked(agent.run(undefined, { messageHistory }));

    expect(paid).toEqual([]);
  });

  it('does not run when the approval comes to a conversation that has not found it', async () => {
    const { agent, paid } = cashier([search('pay'), calls('pay', { euros: 5 }), says('Sorry.')]);
    const parked = await expectParked(agent.run('Go.'));
    const withoutSearch = [parked.messages[0]!, ...parked.messages.slice(3)];

    await agent
      .resume({ messages: withoutSearch }, parked.output.buildResults({ approveAll: true }))
      .catch(() => {});

    expect(paid).toEqual([]);
  });
});

describe('a tool selector', () => {
  const definition = (metadata?: JsonObject): ToolDefinition => ({
    name: 'read',
    parametersJsonSchema: { type: 'object' },
    sequential: false,
    deferLoading: false,
    kind: 'function',
    metadata,
  });
  const nested = { room: { floor: 1, doors: [1, 2] }, open: true, owner: null };

  it.each<[ToolSelector, JsonObject | undefined, boolean]>([
    ['all', undefined, true],
    [['read'], undefined, true],
    [['write', 'read'], undefined, true],
    [['write'], undefined, false],
    [['rea'], undefined, false],
    [['all'], undefined, false],
    [[], undefined, false],
    [{}, undefined, true],
    [{}, nested, true],
    [{ open: true }, nested, true],
    [{ open: 'true' }, nested, false],
    [{ open: true, room: { floor: 1 } }, nested, true],
    [{ open: true, room: { floor: 2 } }, nested, false],
    [{ room: {} }, nested, true],
    [{ room: { doors: [1, 2] } }, nested, true],
    [{ room: { doors: [1] } }, nested, false],
    [{ room: { doors: [2, 1] } }, nested, false],
    [{ room: { doors: {} } }, nested, false],
    [{ room: 1 }, nested, false],
    [{ owner: null }, nested, true],
    [{ missing: null }, nested, false],
    [{ open: true }, undefined, false],
    [{ toString: {} }, {}, false],
    [{ constructor: {} }, nested, false],
    [{ list: [{ a: 1, b: 2 }] }, { list: [{ b: 2, a: 1 }] }, true],
    [{ list: [{ a: 1 }] }, { list: [{ b: 2, a: 1 }] }, false],
    [{ list: [{ a: { b: 1 } }] }, { list: [{ a: { b: 1, c: 2 } }] }, false],
    [{ list: [[{ b: 1 }]] }, { list: [[{ b: 1 }]] }, true],
    [() => true, undefined, true],
    [() => false, nested, false],
    [(_ctx, { name }) => name === 'read', undefined, true],
    [async (_ctx, { metadata }) => metadata?.['open'] === true, nested, true],
  ])('%o picks a tool with metadata %o: %s', async (selector, metadata, expected) => {
    const ctx = {} as RunContext;

    expect(await matchesToolSelector(selector, ctx, definition(metadata))).toBe(expected);
  });

  it('is plain data, unless it is a function', async () => {
    const selectors: ToolSelector[] = ['all', ['read'], { room: { floor: 1 } }];

    for (const selector of selectors) {
      const loaded = JSON.parse(JSON.stringify(selector)) as ToolSelector;
      expect(await matchesToolSelector(loaded, {} as RunContext, definition(nested))).toBe(true);
    }
  });

  it('hands its function the context', async () => {
    const seen: unknown[] = [];
    const toolset = toolsetOf('a').filtered((ctx: RunContext<string>) => {
      seen.push([ctx.deps, ctx.runStep]);
      return true;
    });

    const agent = new Agent({ model: scriptedModel('Done.'), toolsets: [toolset] });
    await agent.run('Go.', { deps: 'mine' });

    expect(seen).toEqual([['mine', 1]]);
  });
});
