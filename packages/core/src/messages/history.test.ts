import { describe, expect, it } from 'vitest';
import { present } from '../../test/support/present.ts';
import { cleanHistory, HistoryCleaner } from './history.ts';
import type { Message, ModelRequest, ModelResponse } from './message.ts';
import type { RequestPart } from './request-part.ts';

const prompt = (content: string): RequestPart => ({ kind: 'user-prompt', content });
const result = (toolCallId: string): RequestPart => ({
  kind: 'tool-return',
  toolName: 'work',
  toolCallId,
  content: 'done',
  outcome: 'success',
});
const interrupted = (toolCallId: string) => ({
  kind: 'tool-return',
  toolName: 'work',
  toolCallId,
  content: expect.stringContaining('cut short'),
  outcome: 'interrupted',
});
const request = (...parts: RequestPart[]): ModelRequest => ({ kind: 'request', parts });
const says = (content: string): ModelResponse => ({
  kind: 'response',
  parts: [{ kind: 'text', content }],
  modelName: 'm',
});
const calls = (...ids: string[]): ModelResponse => ({
  kind: 'response',
  modelName: 'm',
  parts: ids.map((toolCallId) => ({ kind: 'tool-call', toolName: 'work', toolCallId, args: {} })),
});
const clean = (...messages: Message[]) => cleanHistory(messages, { repairLast: false });
const repair = (...messages: Message[]) => cleanHistory(messages, { repairLast: true });

describe('history that needs no repair', () => {
  it('contains the same message objects', () => {
    const history = [
      request(prompt('Hi')),
      calls('a', 'b'),
      request(result('b'), result('a')),
      says('Bye.'),
    ];

    const cleaned = repair(...history);

    expect(cleaned).toHaveLength(4);
    for (const [index, message] of cleaned.entries()) expect(message).toBe(history[index]);
  });
});

describe('calls without a result', () => {
  it('get a result that states this, after the results of the same response', () => {
    expect(
      clean(
        request(prompt('Hi')),
        calls('a', 'b', 'c'),
        request(result('b'), prompt('And?')),
        says('x'),
      ),
    ).toMatchObject([
      {},
      {},
      { parts: [result('b'), interrupted('a'), interrupted('c'), prompt('And?')] },
      {},
    ]);
  });

  it('get their results in a new request if no request follows', () => {
    expect(clean(request(prompt('Hi')), calls('a'), says('x'))).toMatchObject([
      {},
      {},
      { kind: 'request', parts: [interrupted('a')] },
      {},
    ]);
  });

  it('stay pending in the last response, unless `repairLast` is set', () => {
    const history = [request(prompt('Hi')), calls('a', 'b'), request(result('a'))];

    expect(clean(...history)).toEqual(history);
    expect(repair(...history)[2]).toMatchObject({ parts: [result('a'), interrupted('b')] });
    expect(repair(request(prompt('Hi')), calls('a'))[2]).toMatchObject({
      parts: [interrupted('a')],
    });
  });

  it('are counted if an id occurs twice', () => {
    expect(repair(calls('a', 'a'), request(result('a')))[1]).toMatchObject({
      parts: [result('a'), interrupted('a')],
    });
    const both = request(result('a'), result('a'));
    expect(repair(calls('a', 'a'), both)[1]).toBe(both);
  });

  it('are resolved by a retry of the tool, but not by a retry of the output', () => {
    const retry = { kind: 'retry-prompt', content: 'Again.' } as const;
    const ofTool = { ...retry, toolName: 'work', toolCallId: 'a' };

    expect(repair(calls('a'), request(ofTool))).toMatchObject([{}, { parts: [ofTool] }]);
    expect(repair(calls('a'), request(retry))[1]).toMatchObject({
      parts: [interrupted('a'), retry],
    });
  });
});

describe('a request without anything for the model', () => {
  const empty: ModelRequest = { kind: 'request', parts: [], runId: 'r1', conversationId: 'c1' };
  const owned = (...parts: RequestPart[]): ModelRequest => ({
    ...request(...parts),
    runId: 'r2',
    conversationId: 'c1',
  });

  it('leaves the next request in its run', () => {
    expect(clean(calls('a'), empty, owned(result('a'), prompt('And?')))).toMatchObject([
      {},
      { parts: [result('a'), prompt('And?')], runId: 'r2', conversationId: 'c1' },
    ]);
  });

  it('leaves the request before it in its run, after its results without a call were removed', () => {
    expect(clean(owned(prompt('Hi')), request(result('x')), says('a'))).toEqual([
      owned(prompt('Hi')),
      says('a'),
    ]);
  });
});

describe('results without a call', () => {
  it('are dropped, together with a request that contains nothing else before a response', () => {
    expect(
      clean(request(prompt('Hi'), result('x')), says('a'), request(result('x')), says('b')),
    ).toMatchObject([{ parts: [prompt('Hi')] }, says('a'), says('b')]);
  });

  it('leave an empty request at the end, because a history must end with a request', () => {
    expect(clean(says('a'), request(result('x')))).toMatchObject([says('a'), { parts: [] }]);
  });

  it('include duplicate and late results', () => {
    expect(clean(calls('a'), request(result('a'), result('a')))[1]).toMatchObject({
      parts: [result('a')],
    });
    expect(clean(calls('a'), says('x'), request(result('a'), prompt('Go.')))).toMatchObject([
      {},
      { parts: [interrupted('a')] },
      {},
      { parts: [prompt('Go.')] },
    ]);
  });
});

describe('consecutive requests', () => {
  it('are merged, with the results first', () => {
    expect(
      clean(
        calls('a', 'b'),
        request(result('a'), prompt('One')),
        request(result('b'), prompt('Two')),
      )[1],
    ).toMatchObject({ parts: [result('a'), result('b'), prompt('One'), prompt('Two')] });
  });

  it('merge instructions and metadata, and later values take precedence', () => {
    const [merged] = clean(
      { ...request(prompt('1')), instructions: 'Be brief.', metadata: { a: 1, b: 1 } },
      { ...request(prompt('2')), metadata: { b: 2 } },
    );

    expect(merged).toMatchObject({ instructions: 'Be brief.', metadata: { a: 1, b: 2 } });
  });

  it('have no run id and no conversation id after the merge', () => {
    const [merged] = clean(
      { ...request(prompt('1')), runId: 'r1', conversationId: 'c' },
      { ...request(prompt('2')), runId: 'r2', conversationId: 'c' },
    );

    expect(merged).not.toHaveProperty('runId');
    expect(merged).not.toHaveProperty('conversationId');
  });

  it('are not merged if their instructions differ', () => {
    const [one, two] = ['Be brief.', 'Be kind.'].map((instructions) => ({
      ...request(prompt('Hi')),
      instructions,
    }));

    expect(clean(present(one), present(two))).toHaveLength(2);
    expect(clean(present(one), present(one))).toHaveLength(1);
    expect(clean(present(one), { ...present(two), instructions: '' })).toHaveLength(1);
  });
});

describe('consecutive responses', () => {
  it('are merged if neither came from a model', () => {
    const written = (content: string): Message => ({
      kind: 'response',
      parts: [{ kind: 'text', content }],
    });

    expect(clean(written('a'), written('b'))).toMatchObject([
      { parts: [{ content: 'a' }, { content: 'b' }] },
    ]);
    expect(clean(written('a'), says('b'))).toHaveLength(2);
    expect(clean(says('a'), says('b'))).toHaveLength(2);
  });
});

describe('a history that is cleaned message by message', () => {
  it('is the same list while it only grows, and a new one after any other change', () => {
    const cleaner = new HistoryCleaner();
    cleaner.add(request(prompt('Hi')));
    const first = cleaner.messages;

    cleaner.add(calls('a'));
    expect(cleaner.messages).toBe(first);

    cleaner.add(request(result('a')));
    cleaner.add(request(prompt('And?')));
    expect(cleaner.messages).not.toBe(first);
    expect(first).toHaveLength(3);
    expect(cleaner.messages).toHaveLength(3);
  });

  it('lists the pending calls', () => {
    const cleaner = new HistoryCleaner();
    cleaner.add(calls('a', 'b', 'a'));
    cleaner.add(request(result('a')));

    expect(cleaner.pendingCalls.map((call) => call.toolCallId)).toEqual(['b', 'a']);
    cleaner.cancelPendingCalls();
    expect(cleaner.pendingCalls).toEqual([]);
  });

  it('continues twice from one history without mixing the branches', () => {
    const cleaner = new HistoryCleaner();
    cleaner.add(calls('a', 'a'));
    const fork = cleaner.fork();

    fork.add(request(result('a'), result('a')));
    cleaner.add(request(result('a')));

    expect([cleaner, fork].map((each) => each.pendingCalls.length)).toEqual([1, 0]);
    expect([cleaner, fork].map((each) => each.messages[1]?.parts.length)).toEqual([1, 2]);
  });

  it('does not change the given messages', () => {
    const messages = [calls('a', 'b'), request(result('b'), result('x')), request(prompt('And?'))];
    const before = structuredClone(messages);

    repair(...messages);

    expect(messages).toEqual(before);
  });
});

describe('the conversation of a run', () => {
  const history: Message[] = [
    { ...request(prompt('Hi')), conversationId: 'one' },
    { ...says('Hi'), conversationId: 'two' },
    request(prompt('Bye')),
  ];

  it('is the last one in the history', () => {
    const cleaner = new HistoryCleaner();
    expect(cleaner.conversationId).toBeUndefined();

    for (const message of history) cleaner.add(message);

    expect(cleaner.conversationId).toBe('two');
    expect(cleaner.fork().conversationId).toBe('two');
  });
});

describe('merged requests', () => {
  const retry: RequestPart = { kind: 'retry-prompt', content: 'Again.' };

  it('have a retry without a call before prompts, as in Pydantic AI', () => {
    expect(repair(request(prompt('Go.')), request(retry))).toMatchObject([
      { parts: [{ kind: 'retry-prompt' }, { kind: 'user-prompt' }] },
    ]);
  });

  it('have results first, also if the other request is empty', () => {
    const [, , merged] = repair(
      request(prompt('Go.')),
      calls('a'),
      request(prompt('Now.'), result('a')),
      request(),
    );

    expect(merged?.parts).toMatchObject([{ kind: 'tool-return' }, { kind: 'user-prompt' }]);
  });

  it('do not get the instructions of a request that lost all its parts', () => {
    const orphan: ModelRequest = { ...request(result('lost')), instructions: 'Be brief.' };

    expect(repair(orphan, request(prompt('Go.')))).toEqual([request(prompt('Go.'))]);
  });
});

describe('seeds 3.2: a request that was merged', () => {
  const twoCalls: Message = {
    kind: 'response',
    parts: ['c1', 'c2'].map((toolCallId) => ({
      kind: 'tool-call',
      toolName: 'pay',
      toolCallId,
      args: {},
    })),
  };
  const resultOf = (toolCallId: string): Message => ({
    kind: 'request',
    parts: [{ kind: 'tool-return', toolName: 'pay', toolCallId, content: 1, outcome: 'success' }],
    state: 'interrupted',
  });
  const next: Message = { kind: 'request', parts: [{ kind: 'user-prompt', content: 'Again.' }] };
  const stateOfLast = (messages: readonly Message[], repairLast: boolean) =>
    cleanHistory(messages, { repairLast }).at(-1)?.state ?? 'complete';

  it('is complete without pending calls, regardless of the states of its requests', () => {
    const history = [twoCalls, resultOf('c1'), resultOf('c2')];

    expect(stateOfLast(history, false)).toBe('complete');
    expect(stateOfLast([...history, next], false)).toBe('complete');
  });

  it('stays interrupted while a call is pending, so that the call is not executed again', () => {
    expect(stateOfLast([twoCalls, resultOf('c1'), next], false)).toBe('interrupted');
  });

  it('is complete for the model after the pending calls are cancelled', () => {
    expect(stateOfLast([twoCalls, resultOf('c1'), next], true)).toBe('complete');
  });

  it('that was not merged retains its state when its pending calls are cancelled', () => {
    expect(stateOfLast([twoCalls, resultOf('c1')], true)).toBe('interrupted');
  });
});
