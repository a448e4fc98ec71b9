import { describe, expect, it } from 'vitest';
import { UserError } from '../../errors/user-errors.ts';
import type { ModelStreamEvent } from '../model.ts';
import { calls, responds, says, thinks } from './builders.ts';
import { modelCall } from './model-call.ts';
import type { ResponseLike } from './response-draft.ts';
import { scriptedModel } from './scripted-model.ts';

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
