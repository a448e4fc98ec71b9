import { describe, expect, it } from 'vitest';
import {
  FINISH,
  type FakeBehavior,
  fakeLanguageModel,
} from '../../../test/support/fake-language-model.ts';
import { modelCall } from '../../../test/support/model-call.ts';
import { ModelError } from '../../errors/model-errors.ts';
import { type ModelCall, type ModelStreamEvent, streamOf } from '../model.ts';
import { aiSdkModel } from './ai-sdk-model.ts';

type Pieces = NonNullable<FakeBehavior['pieces']>;

async function collect(behavior: FakeBehavior, call?: Partial<ModelCall>) {
  const events: ModelStreamEvent[] = [];
  const model = aiSdkModel(fakeLanguageModel(behavior));
  for await (const event of streamOf(model, modelCall(call))) events.push(event);
  return events;
}

/** Returns the events of a response without its `finish`. */
async function eventsOf(...pieces: Pieces) {
  const events = await collect({ pieces: [...pieces, FINISH] });
  expect(events.at(-1)).toMatchObject({ kind: 'finish' });
  return events.slice(0, -1);
}

describe('streamed text and reasoning', () => {
  it('starts with the first delta that is not empty', async () => {
    expect(
      await eventsOf(
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: '' },
        { type: 'text-delta', id: '0', delta: 'Good ' },
        { type: 'text-delta', id: '0', delta: '' },
        { type: 'text-delta', id: '0', delta: 'day.' },
        { type: 'text-end', id: '0' },
      ),
    ).toStrictEqual([
      { kind: 'part-start', index: 0, part: { kind: 'text', content: 'Good ' } },
      { kind: 'text-delta', index: 0, text: 'day.' },
      { kind: 'part-done', index: 0 },
    ]);
  });

  it('has no part while it is empty, and an index when it starts', async () => {
    expect(
      await eventsOf(
        { type: 'text-start', id: '0' },
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
        { type: 'text-end', id: '0' },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Hi.' },
        { type: 'reasoning-end', id: '0' },
        { type: 'text-end', id: '1' },
      ),
    ).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'thinking', content: 'Hm.' } },
      { kind: 'part-start', index: 1, part: { kind: 'text', content: 'Hi.' } },
      { kind: 'part-done', index: 0 },
      { kind: 'part-done', index: 1 },
    ]);
  });

  it('ends with the provider metadata', async () => {
    const providerMetadata = { anthropic: { signature: 's' } };

    expect(
      await eventsOf(
        { type: 'reasoning-start', id: '0', providerMetadata: { anthropic: {} } },
        { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
        { type: 'reasoning-delta', id: '0', delta: '', providerMetadata },
        { type: 'reasoning-end', id: '0' },
      ),
    ).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'thinking', content: 'Hm.' } },
      {
        kind: 'part-done',
        index: 0,
        fields: { signature: 's', providerDetails: providerMetadata },
      },
    ]);
  });

  it('is kept without text if it has provider metadata', async () => {
    const providerMetadata = { anthropic: { redactedData: 'x' } };

    expect(
      await eventsOf(
        { type: 'reasoning-start', id: '0', providerMetadata },
        { type: 'reasoning-end', id: '0' },
      ),
    ).toEqual([
      {
        kind: 'part-start',
        index: 0,
        part: { kind: 'thinking', content: '', providerDetails: providerMetadata },
      },
      { kind: 'part-done', index: 0 },
    ]);
  });
});

describe('streamed tool calls', () => {
  const start = { type: 'tool-input-start', id: 'c', toolName: 't' };
  const delta = (text: string) => ({ type: 'tool-input-delta', id: 'c', delta: text });
  const end = { type: 'tool-input-end', id: 'c' };
  const call = (input: string) => ({ type: 'tool-call', toolCallId: 'c', toolName: 't', input });
  const started = (args: string, index = 0) => ({
    kind: 'part-start',
    index,
    part: { kind: 'tool-call', toolName: 't', toolCallId: 'c', args },
  });
  const done = { kind: 'part-done', index: 0 };

  it('have their arguments in deltas', async () => {
    const providerMetadata = { openai: { itemId: 'i' } };

    expect(
      await eventsOf(start, delta('{"a"'), delta(':1}'), end, {
        ...call('{"a":1}'),
        providerMetadata,
      }),
    ).toEqual([
      started('{"a"'),
      { kind: 'args-delta', index: 0, text: ':1}' },
      { ...done, fields: { providerDetails: providerMetadata } },
    ]);
  });

  it('can arrive complete', async () => {
    expect(await eventsOf(call('{}'))).toEqual([started('{}'), done]);
    expect(await eventsOf(start, delta(''), end, call('{}'))).toEqual([started('{}'), done]);
    expect(await eventsOf(start, end, call(''))).toEqual([started(''), done]);
  });

  it('can arrive without the final call', async () => {
    expect(await eventsOf(start, end)).toEqual([started(''), done]);
    expect(await eventsOf(start, delta('{}'))).toEqual([started('{}'), done]);
  });

  it('are completed by the final call, not replaced', async () => {
    expect(await eventsOf(start, delta('{"a"'), call('{"a":1}'))).toEqual([
      started('{"a"'),
      { kind: 'args-delta', index: 0, text: ':1}' },
      done,
    ]);
    expect(await eventsOf(start, delta('{"a":1}'), call('{}'))).toEqual([started('{"a":1}'), done]);
  });

  it('have the arguments of the final call if the deltas are not JSON', async () => {
    expect(await eventsOf({ ...start, inputEncoding: 'text' }, delta('ls'), call('"ls"'))).toEqual([
      started('"ls"'),
      done,
    ]);
  });

  it('can have duplicate ids', async () => {
    const events = await eventsOf(
      start,
      delta('{}'),
      call('{}'),
      start,
      delta('{"b"'),
      call('{"b":1}'),
    );

    expect(events.filter(({ kind }) => kind === 'part-start')).toEqual([
      started('{}'),
      started('{"b"', 1),
    ]);
  });

  it('of native tools are followed by their results', async () => {
    const tool = { toolCallId: 'c', toolName: 't' };

    expect(
      await eventsOf(
        { ...start, providerExecuted: true },
        delta('{}'),
        { ...call('{}'), providerExecuted: true },
        { type: 'tool-result', ...tool, result: [0], preliminary: true },
        { type: 'tool-result', ...tool, result: [1] },
      ),
    ).toEqual([
      { kind: 'part-start', index: 0, part: { kind: 'native-tool-call', ...tool, args: '{}' } },
      { kind: 'part-done', index: 0 },
      {
        kind: 'part-start',
        index: 1,
        part: { kind: 'native-tool-return', ...tool, content: [1], outcome: 'success' },
      },
      { kind: 'part-done', index: 1 },
    ]);
  });
});

describe('the finish event of a streamed response', () => {
  it('contains metadata and sources', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/' };
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } };

    const events = await collect({
      pieces: [
        { type: 'response-metadata', id: 'r1' },
        { type: 'response-metadata', modelId: 'fake-2' },
        source,
        file,
        { ...FINISH, providerMetadata: { fake: { tier: 'gold' } } },
      ],
    });

    expect(events).toMatchObject([
      { kind: 'part-start', part: { kind: 'file', content: { data: 'AAAA' } } },
      { kind: 'part-done' },
      {
        kind: 'finish',
        finishReason: 'stop',
        modelName: 'fake-2',
        providerResponseId: 'r1',
        providerDetails: { fake: { tier: 'gold' }, sources: [source] },
      },
    ]);
  });
});

describe('a failed stream', () => {
  const text = { type: 'text-delta', id: '0', delta: 'Good ' };

  it('throws a ModelError for an error of the provider', async () => {
    const events = collect({ pieces: [text, { type: 'error', error: { message: 'Overloaded' } }] });

    await expect(events).rejects.toBeInstanceOf(ModelError);
    await expect(events).rejects.toMatchObject({
      modelName: 'fake-1',
      message: expect.stringContaining('The response of model `fake-1` is incomplete: Overloaded.'),
      cause: { message: 'Overloaded' },
    });
  });

  it.each([
    ['without an end', [text]],
    ['that was interrupted', [text, { ...FINISH, finishReason: { unified: 'interrupted' } }]],
  ])('throws a ModelError for a stream %s', async (_, pieces) => {
    await expect(collect({ pieces })).rejects.toThrow(/is incomplete: the connection ended/);
  });
});

describe('a stream that is no longer needed', () => {
  const pieces = [{ type: 'text-delta', id: '0', delta: 'Good ' }];

  it('is cancelled when the loop over it ends', async () => {
    const languageModel = fakeLanguageModel({ pieces, stalls: true });

    for await (const _ of streamOf(aiSdkModel(languageModel), modelCall())) break;

    await languageModel.cancelled;
  });

  it('is cancelled by an abort, whose reason is thrown', async () => {
    const languageModel = fakeLanguageModel({ pieces, stalls: true });
    const controller = new AbortController();
    const call = modelCall({ signal: controller.signal });
    const stream = streamOf(aiSdkModel(languageModel), call)[Symbol.asyncIterator]();
    await stream.next();

    const next = stream.next();
    const reason = new Error('enough');
    controller.abort(reason);

    await expect(next).rejects.toBe(reason);
    await languageModel.cancelled;
  });

  it('is not read after an abort', async () => {
    const reason = new Error('too late');

    await expect(
      collect({ pieces, stalls: true }, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});
