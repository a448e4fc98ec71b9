import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PendingCalls } from './history.ts';
import type { ToolCallPart } from './response-part.ts';

const call = (toolCallId: string): ToolCallPart => ({
  kind: 'tool-call',
  toolName: 'pay',
  toolCallId,
  args: null,
});

const idsOf = (pending: PendingCalls) => pending.calls.map(({ toolCallId }) => toolCallId);

it('pending calls are those of the response that have no result, in any order of results', () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '1', '__proto__'), { maxLength: 8 });
  fc.assert(
    fc.property(ids, ids, (called, resolved) => {
      const pending = new PendingCalls(called.map(call));
      const expected = called.slice();
      for (const id of resolved) {
        const at = expected.indexOf(id);
        if (at >= 0) expected.splice(at, 1);

        expect(pending.take(id)?.toolCallId).toBe(at >= 0 ? id : undefined);
        expect(idsOf(pending)).toEqual(expected);
      }
    }),
  );
});

it('pending calls stay in order when one in the middle has its result first', () => {
  const pending = new PendingCalls(['a', 'b', 'c', 'd'].map(call));

  pending.take('b');
  pending.take('d');

  expect(idsOf(pending)).toEqual(['a', 'c']);
});
