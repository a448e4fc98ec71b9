import { describe, expect, it, vi } from 'vitest';
import { UserError } from '../../errors/user-errors.ts';
import { deepFreeze } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import type { ModelCall, ModelStreamEvent } from '../model.ts';
import { functionModel } from './function-model.ts';
import { modelCall, type ResponseLike } from './response-draft.ts';
import { calls, responds, says, scriptedModel, thinks } from './scripted-model.ts';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('arguments of a scripted call', () => {
  it.each([
    ['an object', { at: 1 }, '{"at":1}'],
    ['text', '{"at":', '{"at":'],
    ['nothing', null, ''],
  ])('are sent as text, in a request and in a stream: %s', async (_name, args, text) => {
    const script = [calls('look', args), calls('look', args)];
    const model = scriptedModel(...script);

    const requested = await model.request(modelCall());
    const [start] = await collect(model.stream(modelCall()));

    expect(requested.parts).toMatchObject([{ kind: 'tool-call', args: text }]);
    expect(start).toMatchObject({ part: { args: text } });
  });

  it('are also text from a function model', async () => {
    const model = functionModel(() => calls('look', { at: 1 }));

    expect((await model.request(modelCall())).parts).toMatchObject([{ args: '{"at":1}' }]);
  });
});

describe('scriptedModel', () => {
  it('returns the responses in order, for requests and streams', async () => {
    const model = scriptedModel(calls('look'), says('Done.'), 'Bye.');

    const first = await model.request(modelCall());
    const second = await collect(model.stream(modelCall()));
    const third = await model.request(modelCall());

    expect(first.parts).toMatchObject([{ toolName: 'look' }]);
    expect(second[0]).toMatchObject({ part: { content: 'Done.' } });
    expect(third.parts).toEqual([{ kind: 'text', content: 'Bye.' }]);
  });

  it('supports the native tools of supportsNative, and records the offered ones', async () => {
    const model = scriptedModel(says('Found.'), { supportsNative: ['web-search'] });

    expect(model.supportsNative({ kind: 'web-search', maxUses: 2 })).toBe(true);
    expect(model.supportsNative({ kind: 'memory' })).toBe(false);
    expect(scriptedModel('Hi.', {}).supportsNative({ kind: 'web-search' })).toBe(false);

    await model.request(modelCall({ nativeTools: [{ kind: 'web-search', maxUses: 2 }] }));
    expect(model.calls[0]?.nativeTools).toEqual([{ kind: 'web-search', maxUses: 2 }]);
    expect(model.remaining).toBe(0);
  });

  it('accepts complete responses', async () => {
    const given = {
      parts: [{ kind: 'text', content: 'Hi' }],
      modelName: 'other',
      usage: { outputTokens: 1 },
    } as const;

    expect(await scriptedModel(given).request(modelCall())).toEqual(given);
  });

  it('throws the errors of the script before the first event', async () => {
    const model = scriptedModel(new Error('overloaded'), new Error('still'), 'Hi');

    await expect(model.request(modelCall())).rejects.toThrow('overloaded');
    await expect(model.stream(modelCall()).next()).rejects.toThrow('still');
    expect((await model.request(modelCall())).parts).toHaveLength(1);
  });

  it('calls functions of the script', async () => {
    const model = scriptedModel(
      (call) => `You said: ${call.instructions}`,
      async () => calls('look'),
      () => new Error('enough'),
    );

    const first = await model.request(modelCall({ instructions: 'Be brief' }));

    expect(first.parts).toMatchObject([{ content: 'You said: Be brief' }]);
    expect((await model.request(modelCall())).parts).toMatchObject([{ toolName: 'look' }]);
    await expect(model.request(modelCall())).rejects.toThrow('enough');
  });

  it('numbers the calls without an id in the order of the script', async () => {
    const model = scriptedModel(responds(calls('a'), calls('b', {}, { id: 'mine' })), calls('c'));

    expect((await model.request(modelCall())).parts).toMatchObject([
      { toolCallId: 'call-1' },
      { toolCallId: 'mine' },
    ]);
    expect((await model.request(modelCall())).parts).toMatchObject([{ toolCallId: 'call-2' }]);
  });

  it('skips ids that the conversation contains', async () => {
    const model = scriptedModel(calls('a'));
    const messages: Message[] = [
      {
        kind: 'response',
        parts: [{ kind: 'tool-call', toolName: 'a', toolCallId: 'call-4', args: {} }],
      },
      { kind: 'response', parts: [{ kind: 'text', content: 'Hm.' }] },
    ];

    expect((await model.request(modelCall({ messages }))).parts).toMatchObject([
      { toolCallId: 'call-5' },
    ]);
  });

  it('records each request with its content at that time', async () => {
    const messages: Message[] = [
      { kind: 'request', parts: [{ kind: 'user-prompt', content: 'Hi' }] },
    ];
    const model = scriptedModel('Hello', 'Again');

    await model.request(modelCall({ messages }));
    messages.push({ kind: 'response', parts: [{ kind: 'text', content: 'Hello' }] });
    await collect(model.stream(modelCall({ messages })));

    expect(model.calls.map((call) => call.messages.length)).toEqual([1, 2]);
  });

  it('does not read the signal of a request, which would create one', async () => {
    const read = vi.fn(() => new AbortController().signal);
    const { signal: _, ...rest } = modelCall();
    const call: ModelCall = Object.defineProperty(rest as ModelCall, 'signal', {
      get: read,
      enumerable: true,
    });
    const model = scriptedModel('a');

    await model.request(call);
    expect(read).not.toHaveBeenCalled();

    expect(model.calls[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it('counts the remaining responses', async () => {
    const model = scriptedModel('a', 'b');

    expect(model.remaining).toBe(2);
    await model.request(modelCall());
    expect(model.remaining).toBe(1);
  });

  it('throws with the number of requests when the script is used up', async () => {
    const model = scriptedModel('a');
    await model.request(modelCall());

    await expect(model.request(modelCall())).rejects.toThrow(
      'The script has 1 response, and this is request 2.',
    );
    await expect(model.stream(modelCall()).next()).rejects.toThrow('this is request 3.');
    expect(model.remaining).toBe(0);
    expect(model.calls).toHaveLength(3);
  });

  it('copies the parts for each request, because a run freezes them', async () => {
    const args = { path: 'a' };
    const shared = calls('look', args);
    const model = scriptedModel(shared, shared);

    const first = await model.request(modelCall());
    deepFreeze(first);
    const second = await model.request(modelCall());

    expect(Object.isFrozen(args)).toBe(false);
    expect(Object.isFrozen(second.parts[0])).toBe(false);
    expect(second.parts[0]).not.toBe(first.parts[0]);
  });
});

const request = (entry: ResponseLike) => scriptedModel(entry).request(modelCall());

async function stream(entry: ResponseLike): Promise<ModelStreamEvent[]> {
  const events: ModelStreamEvent[] = [];
  for await (const event of scriptedModel(entry).stream(modelCall())) events.push(event);
  return events;
}

describe('says', () => {
  it('creates one text part', async () => {
    expect((await request(says('Hello'))).parts).toEqual([{ kind: 'text', content: 'Hello' }]);
  });

  it('is streamed in one piece by default', async () => {
    expect(await stream(says('Hello'))).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'text', content: 'Hello' } },
      { kind: 'part-done', index: 0 },
      { kind: 'finish', modelName: 'scripted' },
    ]);
  });

  it('is streamed in the given chunks, the first in the start event', async () => {
    expect((await stream(says('abc', { chunks: ['a', 'bc'] }))).slice(0, -1)).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'text', content: 'a' } },
      { kind: 'text-delta', index: 0, text: 'bc' },
      { kind: 'part-done', index: 0 },
    ]);
  });

  it('rejects chunks that make another text', () => {
    expect(() => says('abc', { chunks: ['a', 'c'] })).toThrow(UserError);
    expect(() => says('abc', { chunks: ['a', 'c'] })).toThrow('The chunks make "ac"');
  });
});

describe('thinks', () => {
  it('keeps its signature', async () => {
    expect((await request(thinks('Hm.', { signature: 's' }))).parts).toEqual([
      { kind: 'thinking', content: 'Hm.', signature: 's' },
    ]);
  });

  it('streams its signature at the end', async () => {
    const draft = thinks('Hm, yes.', { signature: 's', chunks: ['Hm, ', 'yes.'] });

    expect((await stream(draft)).slice(0, -1)).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'thinking', content: 'Hm, ' } },
      { kind: 'thinking-delta', index: 0, text: 'yes.' },
      { kind: 'part-done', index: 0, fields: { signature: 's' } },
    ]);
  });
});

describe('calls', () => {
  const call = { kind: 'tool-call', toolName: 'look', toolCallId: 'call-1' };

  it.each([
    ['an object as JSON', { at: 1 }, '{"at":1}'],
    ['broken JSON as it is', '{"at":', '{"at":'],
    ['nothing as an empty text', null, ''],
  ])('sends arguments as text: %s', async (_, args, text) => {
    expect((await request(calls('look', args))).parts).toEqual([{ ...call, args: text }]);
  });

  it('does not change the arguments of a part', async () => {
    const part = { kind: 'tool-call', toolName: 'look', args: { at: 1 }, toolCallId: 'c' } as const;

    expect((await request(responds(part))).parts).toEqual([part]);
  });

  it('sends empty arguments by default', async () => {
    expect((await request(calls('look'))).parts).toEqual([{ ...call, args: '{}' }]);
  });

  it.each([
    ['an object as JSON', { at: 1 }, '{"at":1}'],
    ['text as it is', '{"at":', '{"at":'],
    ['nothing as an empty text', null, ''],
  ])('streams arguments as one text: %s', async (_, args, text) => {
    expect((await stream(calls('look', args))).slice(0, -1)).toEqual([
      { kind: 'part-start', index: 0, part: { ...call, args: text } },
      { kind: 'part-done', index: 0 },
    ]);
  });

  it('streams arguments in the given chunks', async () => {
    const draft = calls('look', { at: 1 }, { argsChunks: ['', '{"at"', ':1}'] });

    expect((await stream(draft)).slice(0, -1)).toEqual([
      { kind: 'part-start', index: 0, part: { ...call, args: '' } },
      { kind: 'args-delta', index: 0, text: '{"at"' },
      { kind: 'args-delta', index: 0, text: ':1}' },
      { kind: 'part-done', index: 0 },
    ]);
  });

  it('uses the given id', async () => {
    expect((await request(calls('look', {}, { id: 'x' }))).parts).toMatchObject([
      { toolCallId: 'x' },
    ]);
  });
});

describe('responds', () => {
  it('combines text, drafts and parts in one response, in order', async () => {
    const part = { kind: 'text', content: 'd', id: 'p1' } as const;

    const { parts } = await request(responds(thinks('a'), 'b', calls('c'), part, calls('e')));

    expect(parts).toMatchObject([
      { kind: 'thinking', content: 'a' },
      { kind: 'text', content: 'b' },
      { toolName: 'c', toolCallId: 'call-1' },
      part,
      { toolName: 'e', toolCallId: 'call-2' },
    ]);
  });

  it('sets the fields of the response, also of a stream', async () => {
    const end = { usage: { inputTokens: 3 }, finishReason: 'length' } as const;
    const draft = responds(says('abc', { chunks: ['a', 'bc'] }), end);

    expect(await request(draft)).toMatchObject(end);
    expect((await stream(draft)).at(-1)).toEqual({ kind: 'finish', modelName: 'scripted', ...end });
  });

  it('keeps the fields of a nested draft, unless it sets them', async () => {
    const inner = responds('a', { finishReason: 'stop', providerResponseId: 'r' });

    expect(await request(responds(inner, { finishReason: 'length' }))).toMatchObject({
      finishReason: 'length',
      providerResponseId: 'r',
    });
  });

  it('streams each part with its own index', async () => {
    const indexes = (await stream(responds('a', calls('b')))).map((event) =>
      'index' in event ? event.index : event.kind,
    );

    expect(indexes).toEqual([0, 0, 1, 1, 'finish']);
  });
});
