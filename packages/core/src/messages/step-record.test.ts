import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeeplyFrozen } from '../../test/support/frozen.ts';
import { untyped } from '../../test/support/untyped.ts';
import type { Message, ModelResponse } from './message.ts';
import { messageCodec } from './codec/index.ts';
import {
  type PendingCallRecord,
  parkedTraceparent,
  readStepRecord,
  type StepRecord,
  withStepRecord,
} from './step-record.ts';

const RUN = '01a1e380-bc02-7845-bb81-95b716d96dba';

function responseOf(ids: readonly string[], runId: string | undefined = RUN): ModelResponse {
  const parts = ids.map(
    (toolCallId) => ({ kind: 'tool-call', toolName: 'pay', toolCallId, args: null }) as const,
  );
  return { kind: 'response', parts, ...(runId !== undefined && { runId }) };
}

function recordFor(ids: readonly string[], step = `${RUN}:1`): StepRecord {
  return { step, open: pendingCalls(ids.map((id) => [id, { kind: 'approval' }])) };
}

function withCall(call: PendingCallRecord): StepRecord {
  return { ...recordFor([]), open: pendingCalls([['a', call]]) };
}

function pendingCalls(
  calls: readonly (readonly [id: string, call: PendingCallRecord])[],
): StepRecord['open'] {
  return new Map(calls);
}

describe('a step record', () => {
  it('is stored as plain JSON under `metadata.holdpoint`', () => {
    const { metadata } = withStepRecord(responseOf(['a', 'b']), recordFor(['a', 'b']));

    const open = { a: { kind: 'approval' }, b: { kind: 'approval' } };
    expect(metadata).toEqual({ holdpoint: { v: 1, step: `${RUN}:1`, open } });
  });

  it('is the same after it was written and read', () => {
    const stored = withStepRecord(responseOf(['a', 'b']), recordFor(['a', 'b']));

    expect(readStepRecord([stored])).toEqual(recordFor(['a', 'b']));
  });

  it('preserves the order of ids that look like numbers', () => {
    const stored = withStepRecord(responseOf(['b', '1']), recordFor(['b', '1']));

    expect(stored.metadata).toMatchObject({ holdpoint: { order: ['b', '1'] } });
    expect([...(readStepRecord([stored])?.open.keys() ?? [])]).toEqual(['b', '1']);
  });

  it('is deeply frozen', () => {
    const stored = withStepRecord(responseOf(['b', '1']), {
      ...recordFor(['b', '1']),
      usage: { requests: 1, toolCalls: 0 },
    });

    expect(isDeeplyFrozen(stored.metadata)).toBe(true);
  });

  it.each<[what: string, response: ModelResponse, record: StepRecord]>([
    ['some calls of the response', responseOf(['a', 'b']), recordFor(['a'])],
    ['calls in another order than the response', responseOf(['a', 'b']), recordFor(['b', 'a'])],
    [
      'calls of different kinds',
      responseOf(['a', 'b']),
      {
        ...recordFor([]),
        open: pendingCalls([
          ['a', { kind: 'approval' }],
          ['b', { kind: 'external' }],
        ]),
      },
    ],
    ['a call with metadata', responseOf(['a']), withCall({ kind: 'approval', metadata: {} })],
    ['a repeated id', responseOf(['a', 'a']), recordFor(['a'])],
    ['no calls', responseOf(['a']), recordFor([])],
    ['the step of another run', responseOf(['a']), recordFor(['a'], 'other:1')],
  ])('can contain %s', (_, response, record) => {
    const stored = withStepRecord(response, record);

    const open = Object.fromEntries(record.open);
    expect(stored.metadata).toEqual({ holdpoint: { v: 1, step: record.step, open } });
    expect(readStepRecord([stored])).toEqual(record);
  });

  it('contains the trace context of its run, or the later one of two', () => {
    const traced = (traceparent: string) => ({ ...recordFor(['a']), traceparent });
    const first = withStepRecord(responseOf(['a']), traced('first'));
    const second = withStepRecord({ kind: 'request', parts: [] }, traced('second'));

    expect(first.metadata).toMatchObject({ holdpoint: { traceparent: 'first' } });
    expect(parkedTraceparent(messageCodec.parse(JSON.stringify([first])))).toBe('first');
    expect(parkedTraceparent([first, second])).toBe('second');
    expect(parkedTraceparent([withStepRecord(first, recordFor(['a']))])).toBeUndefined();
    expect(parkedTraceparent([])).toBeUndefined();
  });

  it('is the same after a round trip through JSON, for any calls and names', () => {
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
        const open = pendingCalls(order.map((id) => [id, kinds.next().value]));
        const stored = withStepRecord(responseOf(all), { step, open });

        const read = readStepRecord(messageCodec.parse(JSON.stringify([stored]))) as StepRecord;

        expect(read.step).toBe(step);
        expect([...read.open]).toEqual([...open]);
      }),
    );
  });
});

describe('reading a malformed step record', () => {
  it.each([
    [
      'calls that are not an object',
      { v: 1, step: 's', open: 'approval' },
      /open: expected an object/,
    ],
    ['a number as the step', { v: 1, step: 1, open: {} }, /step: expected the name/],
    ['an empty step', { v: 1, step: '', open: {} }, /step: expected the name/],
    ['another version', { v: 2, step: 's', open: {} }, /v: expected 1/],
    ['round 0', { v: 1, step: 's', open: {}, round: 0 }, /round: expected/],
    ['a number as the trace context', { v: 1, step: 's', open: {}, traceparent: 1 }, /traceparent/],
    ['an order of numbers', { v: 1, step: 's', open: {}, order: [1] }, /order: expected/],
  ])('fails with the path: %s', (_, record, problem) => {
    const carrier = { kind: 'response', parts: [], metadata: { holdpoint: record } };
    const messages = [responseOf(['a']), untyped<Message>(carrier)];

    expect(() => readStepRecord(messageCodec.fromJSON(messages))).toThrow(problem);
  });
});
