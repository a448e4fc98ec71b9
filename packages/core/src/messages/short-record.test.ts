import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { untyped } from '../../test/support/untyped.ts';
import type { ModelResponse } from './message.ts';
import { messageCodec } from './codec/index.ts';
import { type OpenCall, readStepRecord, type StepRecord, withStepRecord } from './step-record.ts';

const RUN = '01a1e380-bc02-7845-bb81-95b716d96dba';

function responseOf(ids: readonly string[], runId: string | undefined = RUN): ModelResponse {
  const parts = ids.map(
    (toolCallId) => ({ kind: 'tool-call', toolName: 'pay', toolCallId, args: null }) as const,
  );
  return { kind: 'response', parts, ...(runId !== undefined && { runId }) };
}

function recordFor(ids: readonly string[], step = `${RUN}:1`): StepRecord {
  return { step, open: openCalls(ids.map((id) => [id, { kind: 'approval' }])) };
}

function openCalls(calls: readonly (readonly [id: string, call: OpenCall])[]): StepRecord['open'] {
  return new Map(calls);
}

describe('a record on the response whose calls all wait for the same', () => {
  it('says so in a word, and its step by a number', () => {
    const { metadata } = withStepRecord(responseOf(['a', 'b']), recordFor(['a', 'b']));

    expect(metadata).toEqual({ holdpoint: { v: 1, step: 1, open: 'approval' } });
  });

  it('is read as what it was made from', () => {
    const stored = withStepRecord(responseOf(['a', 'b']), recordFor(['a', 'b']));

    expect(readStepRecord([stored])).toEqual(recordFor(['a', 'b']));
  });

  it('keeps the order of ids that look like numbers', () => {
    const stored = withStepRecord(responseOf(['b', '1']), recordFor(['b', '1']));

    expect(stored.metadata).toEqual({ holdpoint: { v: 1, step: 1, open: 'approval' } });
    expect([...(readStepRecord([stored])?.open.keys() ?? [])]).toEqual(['b', '1']);
  });
});

describe('a record says which calls wait', () => {
  it.each<[why: string, response: ModelResponse, record: StepRecord]>([
    ['some have their result', responseOf(['a', 'b']), recordFor(['a'])],
    ['they wait in another order', responseOf(['a', 'b']), recordFor(['b', 'a'])],
    [
      'they wait for different answers',
      responseOf(['a', 'b']),
      {
        ...recordFor([]),
        open: openCalls([
          ['a', { kind: 'approval' }],
          ['b', { kind: 'external' }],
        ]),
      },
    ],
    [
      'there is more to say of one',
      responseOf(['a', 'b']),
      {
        ...recordFor([]),
        open: openCalls([
          ['a', { kind: 'approval' }],
          ['b', { kind: 'approval', metadata: {} }],
        ]),
      },
    ],
    ['two calls share an id', responseOf(['a', 'a']), recordFor(['a'])],
    ['no call waits', responseOf(['a']), recordFor([])],
  ])('one by one where %s', (_, response, record) => {
    const stored = withStepRecord(response, record);

    const open = Object.fromEntries(record.open);
    expect(stored.metadata).toEqual({ holdpoint: { v: 1, step: 1, open } });
    expect(readStepRecord([stored])).toEqual(record);
  });

  it('and has the whole name of a step that is not of its own run', () => {
    for (const step of ['other:1', `${RUN}:`, `${RUN}:01`, `${RUN}:1:1`, `x${RUN}:1`]) {
      const stored = withStepRecord(responseOf(['a']), recordFor(['a'], step));

      expect(stored.metadata).toEqual({ holdpoint: { v: 1, step, open: 'approval' } });
      expect(readStepRecord([stored])?.step).toBe(step);
    }
  });

  it('and is read back whatever it says', () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', '1', '2', '__proto__'), { maxLength: 4 });
    const call = fc.constantFrom(
      { kind: 'approval' as const },
      { kind: 'external' as const },
      { kind: 'approval' as const, metadata: { why: 'so' } },
    );
    const steps = fc.oneof(
      fc.nat().map((count) => `${RUN}:${count}`),
      fc.string({ minLength: 1 }),
    );
    fc.assert(
      fc.property(ids, fc.infiniteStream(call), steps, fc.nat(4), (all, kinds, step, waiting) => {
        const order = all.slice(0, waiting);
        const open = openCalls(order.map((id) => [id, kinds.next().value]));
        const stored = withStepRecord(responseOf(all), { step, open });

        const read = readStepRecord(messageCodec.parse(JSON.stringify([stored]))) as StepRecord;

        expect(read.step).toBe(step);
        expect([...read.open]).toEqual([...open]);
      }),
    );
  });
});

describe('a short record that somebody has broken', () => {
  it.each([
    [
      'a word on a request',
      'request',
      { v: 1, step: 's', open: 'approval' },
      /open: expected an object/,
    ],
    ['another word', 'response', { v: 1, step: 's', open: 'anything' }, /open: expected an object/],
    ['a number without a run', 'response', { v: 1, step: 1, open: 'approval' }, /step: expected/],
    ['half a number', 'response', { v: 1, step: 0.5, open: 'approval' }, /step: expected/],
    ['no number', 'response', { v: 1, step: 0, open: 'approval' }, /step: expected/],
  ])('is refused with its place: %s', (_, kind, record, problem) => {
    const carrier = kind === 'response' ? { kind, parts: [] } : { kind, parts: [], runId: RUN };
    const messages = [responseOf(['a']), untyped({ ...carrier, metadata: { holdpoint: record } })];

    expect(() => readStepRecord(messageCodec.fromJSON(messages))).toThrow(problem);
  });
});
