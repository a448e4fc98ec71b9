import {
  Agent,
  DeferredToolRequests,
  type Message,
  type NativeTool,
  type NativeToolSource,
  nativeTool,
  type ResponsePart,
  type RunContext,
  tool,
  toolSearch,
  UserError,
} from 'holdpoint';
import { calls, reply, says, type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked, ways } from '../support/deferral.ts';
import { rejectionOf } from '../support/latch.ts';
import { named, offeredTo, resultsIn } from '../support/toolsets.ts';

const SEARCH: NativeTool = { kind: 'web-search' };
const CODE: NativeTool = { kind: 'code-execution' };
const all = ['web-search', 'code-execution', 'mcp-server', 'provider'] as const;

/** A local tool that stands in for the web search of providers. */
const standIn = () =>
  tool({ name: 'search', unlessNative: 'web-search', execute: () => 'found here' });

const nativeOf = (model: ReturnType<typeof scriptedModel>) =>
  model.calls.map((call) => call.nativeTools);

describe('native tools', () => {
  it('of the agent, its capabilities and the run reach the model, in this order', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });
    const agent = new Agent({
      model,
      nativeTools: [SEARCH],
      capabilities: [nativeTool(CODE)],
    });
    const server: NativeTool = { kind: 'mcp-server', id: 'docs', url: 'https://docs.example' };

    await agent.run('Go.', { nativeTools: [server] });

    expect(nativeOf(model)).toEqual([[SEARCH, CODE, server]]);
  });

  it('are none unless somebody wants one', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });

    await new Agent({ model, tools: [standIn()] }).run('Go.');

    expect(nativeOf(model)).toEqual([[]]);
    expect(offeredTo(model)).toEqual([['search']]);
  });

  it('can depend on the context, step by step', async () => {
    const model = scriptedModel(calls('plain'), says('Done.'), says('Again.'), {
      supportsNative: all,
    });
    const agent = new Agent({
      model,
      tools: [named('plain')],
      nativeTools: [
        ({ runStep }) => (runStep === 1 ? SEARCH : undefined),
        async ({ deps }: RunContext<{ admin: boolean }>) => (deps.admin ? CODE : null),
      ],
    });

    await agent.run('Go.', { deps: { admin: true } });
    await agent.run('Go.', { deps: { admin: false } });

    expect(nativeOf(model)).toEqual([[SEARCH, CODE], [CODE], [SEARCH]]);
  });

  it('that come twice are there once, as the later one says', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });
    const limited: NativeTool = { kind: 'web-search', maxUses: 1 };

    await new Agent({ model, nativeTools: [SEARCH, CODE] }).run('Go.', { nativeTools: [limited] });

    expect(nativeOf(model)).toEqual([[limited, CODE]]);
  });

  it('of kinds that can be there several times are told apart by their ids', async () => {
    const model = scriptedModel('Done.', { supportsNative: all });
    const server = (id: string, url: string): NativeTool => ({ kind: 'mcp-server', id, url });
    const shell = (name: string): NativeTool => ({ kind: 'provider', id: 'openai.shell', name });

    await new Agent({
      model,
      nativeTools: [
        server('a', 'https://old.example'),
        server('b', 'https://b.example'),
        shell('x'),
      ],
    }).run('Go.', { nativeTools: [server('a', 'https://new.example'), shell('y')] });

    expect(nativeOf(model)).toEqual([
      [server('a', 'https://new.example'), server('b', 'https://b.example'), shell('y')],
    ]);
  });

  it('fail the run where a function that decides about them fails', async () => {
    const broken = new Error('Who knows?');
    const model = scriptedModel('Done.', { supportsNative: all });
    const agent = new Agent({ model, nativeTools: [() => Promise.reject(broken)] });

    expect(await rejectionOf(agent.run('Go.'))).toBe(broken);
    expect(model.calls).toEqual([]);
  });
});

describe('a native tool that the model does not have', () => {
  it('is an error that names it and says what to do, before the model is asked', async () => {
    const model = scriptedModel('Done.', { supportsNative: ['code-execution'] });
    const server: NativeTool = { kind: 'mcp-server', id: 'docs', url: 'https://docs.example' };
    const agent = new Agent({ model, nativeTools: [SEARCH, CODE, server] });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/'scripted'.*'web-search', 'mcp-server:docs'.*unlessNative/),
    });
    expect(model.calls).toEqual([]);
  });

  it('is an error with a model that says nothing about native tools', async () => {
    const { request } = scriptedModel('Done.');
    const model = { name: 'plain', system: 'test', request };

    await expect(new Agent({ model, nativeTools: [SEARCH] }).run('Go.')).rejects.toThrow(UserError);
  });

  it('is left out where it is optional', async () => {
    const model = scriptedModel('Done.', { supportsNative: ['code-execution'] });
    const agent = new Agent({ model, nativeTools: [{ ...SEARCH, optional: true }, CODE] });

    await agent.run('Go.');

    expect(nativeOf(model)).toEqual([[CODE]]);
  });

  it('is an error only in the step that wants it', async () => {
    const model = scriptedModel(calls('plain'), says('Done.'));
    const late: NativeToolSource = ({ runStep }) => (runStep === 2 ? SEARCH : undefined);
    const agent = new Agent({ model, tools: [named('plain')], nativeTools: [late] });

    await expect(agent.run('Go.')).rejects.toThrow(UserError);
    expect(model.calls).toHaveLength(1);
  });
});

describe('a tool with unlessNative', () => {
  const runOn = async (supported: boolean, ...script: readonly ScriptEntry[]) => {
    const model = scriptedModel(...script, { supportsNative: supported ? ['web-search'] : [] });
    const agent = new Agent({
      model,
      tools: [named('plain')],
      capabilities: [nativeTool(SEARCH, { local: standIn() })],
    });
    const result = await agent.run('Go.');
    return { model, result };
  };

  it('is left out where the model has the native one', async () => {
    const { model } = await runOn(true, 'Done.');

    expect(offeredTo(model)).toEqual([['plain']]);
    expect(nativeOf(model)).toEqual([[SEARCH]]);
  });

  it('stands in for it where the model does not have it', async () => {
    const { model, result } = await runOn(false, calls('search'), says('Done.'));

    expect(offeredTo(model)[0]).toEqual(['plain', 'search']);
    expect(nativeOf(model)[0]).toEqual([]);
    expect(resultsIn(result.messages)).toEqual(['found here']);
  });

  it('does not run when it is called although it was left out', async () => {
    const { result } = await runOn(true, calls('search'), says('Done.'));

    expect(resultsIn(result.messages)).toEqual(['retry search']);
  });

  it('is there where nobody wants the native one, and where that is for this step', async () => {
    const model = scriptedModel(calls('search'), says('Done.'), { supportsNative: all });
    const agent = new Agent({
      model,
      tools: [standIn()],
      nativeTools: [({ runStep }) => (runStep === 2 ? SEARCH : undefined)],
    });

    await agent.run('Go.');

    expect(offeredTo(model)).toEqual([['search'], []]);
    expect(nativeOf(model)).toEqual([[], [SEARCH]]);
  });

  it('names one of several by its id', async () => {
    const local = tool({ name: 'docs', unlessNative: 'mcp-server:docs', execute: () => 'here' });
    const model = scriptedModel('Done.', { supportsNative: all });
    const server = (id: string): NativeTool => ({
      kind: 'mcp-server',
      id,
      url: 'https://x.example',
    });
    const agent = new Agent({ model, tools: [local] });

    await agent.run('Go.', { nativeTools: [server('other')] }).catch(() => {});
    const second = scriptedModel('Done.', { supportsNative: all });
    await agent.run('Go.', { model: second, nativeTools: [server('docs')] });

    expect([offeredTo(model), offeredTo(second)]).toEqual([[['docs']], [[]]]);
  });

  it('keeps its gate: standing in for something approves nothing', async () => {
    const ran: string[] = [];
    const local = tool({
      name: 'search',
      unlessNative: 'web-search',
      requiresApproval: true,
      execute: () => ran.push('search'),
    });
    const agent = new Agent({
      model: scriptedModel(calls('search')),
      output: [String, DeferredToolRequests],
      capabilities: [nativeTool(SEARCH, { local })],
    });

    await expectParked(agent.run('Go.'));

    expect(ran).toEqual([]);
  });
});

/** A search by a provider that has found these tools. */
const foundBy = (providerName: string, ...names: readonly string[]): ResponsePart[] => [
  {
    kind: 'native-tool-call',
    toolName: 'tool_search',
    toolCallId: 'srv-1',
    args: { query: names.join(' ') },
    toolKind: 'tool-search',
    providerName,
  },
  {
    kind: 'native-tool-return',
    toolName: 'tool_search',
    toolCallId: 'srv-1',
    outcome: 'success',
    content: { discovered_tools: names.map((name) => ({ name })) },
    toolKind: 'tool-search',
    providerName,
  },
];
const found = (...names: readonly string[]) => foundBy('test', ...names);

const hidden = (name: string, options: object = {}) =>
  tool({ name, deferLoading: true, execute: () => `${name} ran`, ...options });

/** What a model was offered, request by request, with a star at what it has to search for. */
const seenBy = (model: ReturnType<typeof scriptedModel>) =>
  model.calls.map((call) =>
    call.functionTools.map(({ name, deferLoading }) => (deferLoading ? `${name}*` : name)),
  );

describe('hidden tools, where the provider searches for them,', () => {
  const searching = (...script: readonly ScriptEntry[]) =>
    scriptedModel(...script, { supportsNative: ['tool-search'] });
  const tools = [named('plain'), hidden('refund'), hidden('invoice')];

  it('reach the model as hidden, beside its own search and without ours', async () => {
    const model = searching('Done.');

    await new Agent({ model, tools }).run('Go.');

    expect(seenBy(model)).toEqual([['plain', 'refund*', 'invoice*']]);
    expect(nativeOf(model)).toEqual([[{ kind: 'tool-search' }]]);
  });

  it('can be called in the response that finds them', async () => {
    const model = searching(reply(...found('refund'), calls('refund')), says('Done.'));

    const { messages } = await new Agent({ model, tools }).run('Go.');

    expect(resultsIn(messages)).toEqual(['refund ran']);
    // The provider brings them up again itself: for it they stay hidden.
    expect(seenBy(model)[1]).toEqual(['plain', 'refund*', 'invoice*']);
  });

  it('can be called in the response that finds them when it is streamed', async () => {
    const model = searching(reply(...found('refund'), calls('refund')), says('Done.'));

    const { messages } = await new Agent({ model, tools }).stream('Go.').result;

    expect(resultsIn(messages)).toEqual(['refund ran']);
  });

  it('do not run before they were found', async () => {
    const model = searching(reply(...found('invoice'), calls('refund')), says('Done.'));

    const { messages } = await new Agent({ model, tools }).run('Go.');

    expect(resultsIn(messages)).toEqual(['retry refund']);
  });

  it.each(ways)('stay found in a later run: messages $way', async ({ messages: carry }) => {
    const model = searching(
      reply(...found('refund'), says('Found.')),
      calls('refund'),
      says('Done.'),
    );
    const agent = new Agent({ model, tools });

    const first = await agent.run('Find it.');
    const second = await agent.run('Use it.', { messageHistory: carry(first.messages) });

    expect(resultsIn(second.messages)).toEqual(['refund ran']);
    expect(seenBy(model)[1]).toEqual(['plain', 'refund*', 'invoice*']);
  });

  it('stay found with a model that cannot search itself', async () => {
    const model = searching(reply(...found('refund'), says('Found.')));
    const plain = scriptedModel(calls('refund'), says('Done.'));
    const agent = new Agent({ model, tools });

    const { messages } = await agent.run('Find it.');
    const second = await agent.run('Use it.', { messageHistory: messages, model: plain });

    expect(seenBy(plain)[0]).toEqual(['plain', 'refund', 'search_tools']);
    expect(resultsIn(second.messages)).toEqual(['refund ran']);
  });

  it('that another provider has found are no longer hidden for this one', async () => {
    const model = searching(
      reply(...foundBy('elsewhere', 'refund'), says('Found.')),
      calls('refund'),
      says('Done.'),
    );
    const agent = new Agent({ model, tools });

    const { messages } = await agent.run('Find it.');
    const second = await agent.run('Use it.', { messageHistory: messages });

    expect(seenBy(model)[1]).toEqual(['plain', 'refund', 'invoice*']);
    expect(resultsIn(second.messages)).toEqual(['refund ran']);
  });

  it('that our search has found are no longer hidden for the provider', async () => {
    const plain = scriptedModel(calls('search_tools', { queries: ['refund'] }), says('Found.'));
    const model = searching(calls('refund'), says('Done.'));
    const agent = new Agent({ model, tools });

    const { messages } = await agent.run('Find it.', { model: plain });
    const second = await agent.run('Use it.', { messageHistory: messages });

    expect(seenBy(model)[0]).toEqual(['plain', 'refund', 'invoice*']);
    expect(resultsIn(second.messages).at(-1)).toBe('refund ran');
  });

  it.each(ways)('still ask where they need approval: messages $way', async (way) => {
    const ran: string[] = [];
    const guarded = hidden('remove', {
      requiresApproval: true,
      execute: () => {
        ran.push('remove');
      },
    });
    const model = searching(reply(...found('remove'), calls('remove')), says('Done.'));
    const agent = new Agent({
      model,
      tools: [guarded],
      output: [String, DeferredToolRequests],
    });

    const parked = await expectParked(agent.run('Go.'));
    expect(ran).toEqual([]);
    const approved = way.results(parked.output.buildResults({ approveAll: true }));
    await agent.resume({ messages: way.messages(parked.messages) }, approved);

    expect(ran).toEqual(['remove']);
  });

  it('still ask where a policy says so', async () => {
    const model = searching(reply(...found('refund'), calls('refund')));
    const agent = new Agent({
      model,
      tools,
      output: [String, DeferredToolRequests],
      approvalPolicy: (_ctx, { name }) => name === 'refund',
    });

    const { output } = await expectParked(agent.run('Go.'));

    expect(output.approvals).toMatchObject([{ toolName: 'refund' }]);
  });

  it('are searched for by us where toolSearch says so', async () => {
    const model = searching('Done.');

    await new Agent({ model, tools, capabilities: [toolSearch({ native: false })] }).run('Go.');

    expect(seenBy(model)).toEqual([['plain', 'search_tools']]);
    expect(nativeOf(model)).toEqual([[]]);
  });

  it('are not searched for where nothing is hidden', async () => {
    const model = searching('Done.');

    await new Agent({ model, tools: [named('plain')] }).run('Go.');

    expect(nativeOf(model)).toEqual([[]]);
  });

  it('have one search, also if somebody asks for it beside', async () => {
    const model = searching('Done.');

    await new Agent({ model, tools, nativeTools: [{ kind: 'tool-search' }] }).run('Go.');

    expect(nativeOf(model)).toEqual([[{ kind: 'tool-search' }]]);
  });

  it('are not what a tool of the application claims to have found', async () => {
    const liar = tool({
      name: 'liar',
      execute: () => ({ discovered_tools: [{ name: 'refund' }] }),
    });
    const model = searching(calls('liar'), calls('refund'), says('Done.'));

    const { messages } = await new Agent({ model, tools: [liar, ...tools] }).run('Go.');

    expect(resultsIn(messages).at(-1)).toBe('retry refund');
  });

  const historyWith = (parts: readonly ResponsePart[]): readonly Message[] => [
    { kind: 'request', parts: [{ kind: 'user-prompt', content: 'Go.' }] },
    { kind: 'response', parts },
  ];

  it.each([
    ['nothing', null],
    ['a text', 'refund'],
    ['odd things', { discovered_tools: [1, { name: 2 }, 'refund', null] }],
    ['a tool that is not there', { discovered_tools: [{ name: 'nobody' }] }],
  ])('stay hidden where a provider says that it found %s', async (_what, content) => {
    const [call, result] = found('refund');
    const model = searching(calls('refund'), says('Done.'));
    const history = historyWith([call!, { ...result, content } as ResponsePart]);

    const { messages } = await new Agent({ model, tools }).run('Go on.', {
      messageHistory: history,
    });

    expect(resultsIn(messages)).toEqual(['retry refund']);
  });
});
