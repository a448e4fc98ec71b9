import { describe, expect, it } from 'vitest';
import { functionModel, type StreamFunction } from './function-model.ts';
import { modelCall } from './response-draft.ts';
import { calls, responds } from './scripted-model.ts';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const silent = () => 'not streamed';
const streamed = (stream: StreamFunction) =>
  collect(functionModel(silent, { stream }).stream(modelCall()));

describe('functionModel', () => {
  it('returns the result of the function', async () => {
    const model = functionModel((call) => `${call.functionTools.length} tools`, {
      name: 'counter',
    });

    expect(await model.request(modelCall())).toEqual({
      modelName: 'counter',
      parts: [{ kind: 'text', content: '0 tools' }],
    });
  });

  it('continues the call ids in the conversation', async () => {
    const model = functionModel(async () => calls('look'));
    const first = await model.request(modelCall());
    const again = await model.request(modelCall());
    const later = await model.request(
      modelCall({ messages: [{ kind: 'response', parts: first.parts }] }),
    );

    expect(first.parts).toMatchObject([{ toolCallId: 'call-1' }]);
    expect(again.parts).toMatchObject([{ toolCallId: 'call-1' }]);
    expect(later.parts).toMatchObject([{ toolCallId: 'call-2' }]);
  });

  it('streams the result of the function by default', async () => {
    const events = await collect(functionModel(() => 'Hi').stream(modelCall()));

    expect(events.map((event) => event.kind)).toEqual(['part-start', 'part-done', 'finish']);
  });

  it('combines pieces of text in one part', async () => {
    const events = await streamed(async function* () {
      yield 'Hel';
      yield 'lo';
    });

    expect(events).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'text', content: 'Hel' } },
      { kind: 'text-delta', index: 0, text: 'lo' },
      { kind: 'part-done', index: 0 },
      { kind: 'finish', modelName: 'function' },
    ]);
  });

  it('accepts text, builders and events in one stream', async () => {
    const events = await streamed(async function* () {
      yield 'Look: ';
      yield responds(calls('look'), { finishReason: 'tool_call' });
      yield { kind: 'part-start', index: 2, part: { kind: 'thinking', content: 'Hm' } };
      yield { kind: 'part-done', index: 2 };
      yield 'Well.';
    });

    expect(events.map((event) => ('index' in event ? event.index : event.kind))).toEqual([
      0,
      0,
      1,
      1,
      2,
      2,
      3,
      3,
      'finish',
    ]);
    expect(events.at(-1)).toMatchObject({ finishReason: 'tool_call' });
  });

  it('ends with the finish event of the streaming function', async () => {
    const events = await streamed(async function* () {
      yield { kind: 'finish', finishReason: 'stop' };
    });

    expect(events).toEqual([{ kind: 'finish', finishReason: 'stop' }]);
  });

  it('throws the error of a stream that breaks off', async () => {
    const model = functionModel(silent, {
      stream: async function* () {
        yield 'Hel';
        throw new Error('connection lost');
      },
    });
    const seen: string[] = [];

    const reading = (async () => {
      for await (const event of model.stream(modelCall())) seen.push(event.kind);
    })();

    await expect(reading).rejects.toThrow('connection lost');
    expect(seen).toEqual(['part-start']);
  });

  it('supports the native tools of supportsNative', () => {
    const model = functionModel(silent, { supportsNative: ['memory'] });

    expect(model.supportsNative({ kind: 'memory' })).toBe(true);
    expect(model.supportsNative({ kind: 'web-search' })).toBe(false);
    expect(functionModel(silent).supportsNative({ kind: 'memory' })).toBe(false);
  });
});
