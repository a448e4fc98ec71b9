import { Agent, DeferredToolRequests, type Message, tool } from 'holdpoint';
import { toolSearch } from 'holdpoint/capabilities';
import type { ResponsePart } from 'holdpoint/messages';
import { calls, responds, says, type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked, ways } from '../../support/deferral.ts';
import { present } from '../../support/present.ts';
import { named, resultsIn } from '../../support/toolsets.ts';

const nativeOf = (model: ReturnType<typeof scriptedModel>) =>
  model.calls.map((call) => call.nativeTools);

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

/** Returns the tools offered in each request, with a star at those that the model has to search for. */
const seenBy = (model: ReturnType<typeof scriptedModel>) =>
  model.calls.map((call) =>
    call.functionTools.map(({ name, deferLoading }) => (deferLoading ? `${name}*` : name)),
  );

describe('hidden tools that the provider searches for', () => {
  const searching = (...script: readonly ScriptEntry[]) =>
    scriptedModel(...script, { supportsNative: ['tool-search'] });
  const tools = [named('plain'), hidden('refund'), hidden('invoice')];

  it('reach the model as hidden, with the native search instead of the local one', async () => {
    const model = searching('Done.');

    await new Agent({ model, tools }).run('Go.');

    expect(seenBy(model)).toEqual([['plain', 'refund*', 'invoice*']]);
    expect(nativeOf(model)).toEqual([[{ kind: 'tool-search' }]]);
  });

  it('can be called in the response that finds them', async () => {
    const model = searching(responds(...found('refund'), calls('refund')), says('Done.'));

    const { messages } = await new Agent({ model, tools }).run('Go.');

    expect(resultsIn(messages)).toEqual(['refund ran']);
    // They stay hidden in the request, because the provider restores them itself.
    expect(seenBy(model)[1]).toEqual(['plain', 'refund*', 'invoice*']);
  });

  it('can be called in the response that finds them when it is streamed', async () => {
    const model = searching(responds(...found('refund'), calls('refund')), says('Done.'));

    const { messages } = await new Agent({ model, tools }).stream('Go.').result;

    expect(resultsIn(messages)).toEqual(['refund ran']);
  });

  it('do not execute before they were found', async () => {
    const model = searching(responds(...found('invoice'), calls('refund')), says('Done.'));

    const { messages } = await new Agent({ model, tools }).run('Go.');

    expect(resultsIn(messages)).toEqual(['retry refund']);
  });

  it.each(ways)('stay found in a later run: messages $way', async ({ messages: carry }) => {
    const model = searching(
      responds(...found('refund'), says('Found.')),
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
    const model = searching(responds(...found('refund'), says('Found.')));
    const plain = scriptedModel(calls('refund'), says('Done.'));
    const agent = new Agent({ model, tools });

    const { messages } = await agent.run('Find it.');
    const second = await agent.run('Use it.', { messageHistory: messages, model: plain });

    expect(seenBy(plain)[0]).toEqual(['plain', 'refund', 'search_tools']);
    expect(resultsIn(second.messages)).toEqual(['refund ran']);
  });

  it('that another provider found are no longer hidden for this one', async () => {
    const model = searching(
      responds(...foundBy('elsewhere', 'refund'), says('Found.')),
      calls('refund'),
      says('Done.'),
    );
    const agent = new Agent({ model, tools });

    const { messages } = await agent.run('Find it.');
    const second = await agent.run('Use it.', { messageHistory: messages });

    expect(seenBy(model)[1]).toEqual(['plain', 'refund', 'invoice*']);
    expect(resultsIn(second.messages)).toEqual(['refund ran']);
  });

  it('that the local search found are no longer hidden for the provider', async () => {
    const plain = scriptedModel(calls('search_tools', { queries: ['refund'] }), says('Found.'));
    const model = searching(calls('refund'), says('Done.'));
    const agent = new Agent({ model, tools });

    const { messages } = await agent.run('Find it.', { model: plain });
    const second = await agent.run('Use it.', { messageHistory: messages });

    expect(seenBy(model)[0]).toEqual(['plain', 'refund', 'invoice*']);
    expect(resultsIn(second.messages).at(-1)).toBe('refund ran');
  });

  it.each(ways)('still require approval: messages $way', async (way) => {
    const ran: string[] = [];
    const guarded = hidden('remove', {
      requiresApproval: true,
      execute: () => {
        ran.push('remove');
      },
    });
    const model = searching(responds(...found('remove'), calls('remove')), says('Done.'));
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

  it('still require approval if a policy demands it', async () => {
    const model = searching(responds(...found('refund'), calls('refund')));
    const agent = new Agent({
      model,
      tools,
      output: [String, DeferredToolRequests],
      approvalPolicy: (_ctx, { name }) => name === 'refund',
    });

    const { output } = await expectParked(agent.run('Go.'));

    expect(output.approvals).toMatchObject([{ toolName: 'refund' }]);
  });

  it('are searched for locally if toolSearch is set to do so', async () => {
    const model = searching('Done.');

    await new Agent({ model, tools, capabilities: [toolSearch({ native: false })] }).run('Go.');

    expect(seenBy(model)).toEqual([['plain', 'search_tools']]);
    expect(nativeOf(model)).toEqual([[]]);
  });

  it('need no search if none is hidden', async () => {
    const model = searching('Done.');

    await new Agent({ model, tools: [named('plain')] }).run('Go.');

    expect(nativeOf(model)).toEqual([[]]);
  });

  it('have one search, also if the application adds another one', async () => {
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
  ])('stay hidden if a provider reports that it found %s', async (_what, content) => {
    const [call, result] = found('refund');
    const model = searching(calls('refund'), says('Done.'));
    const history = historyWith([present(call), { ...result, content } as ResponsePart]);

    const { messages } = await new Agent({ model, tools }).run('Go on.', {
      messageHistory: history,
    });

    expect(resultsIn(messages)).toEqual(['retry refund']);
  });
});
