import { describe, expect, it, vi } from 'vitest';
import { deepFreeze } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import type { ModelCall } from '../model.ts';
import { calls, responds, says } from './builders.ts';
import { functionModel } from './function-model.ts';
import { modelCall } from './model-call.ts';
import { scriptedModel } from './scripted-model.ts';

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
