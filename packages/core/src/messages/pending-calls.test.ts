import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PendingCalls } from './pending-calls.ts';
import type { ToolCallPart } from './response-part.ts';

const call = (toolCallId: string): ToolCallPart => ({
  kind: 'tool-call',
  toolName: 'pay',
  toolCallId,
  args: null,
});

const idsOf = (open: PendingCalls) => open.list().map(({ toolCallId }) => toolCallId);

it('pending calls are those of the response that have no result, in any order of results', () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '1', '__proto__'), { maxLength: 8 });
  fc.assert(
    fc.property(ids, ids, (called, answered) => {
      const open = new PendingCalls(called.map(call));
      const expected = called.slice();
      for (const id of answered) {
        const at = expected.indexOf(id);
        if (at >= 0) expected.splice(at, 1);

        expect(open.take(id)?.toolCallId).toBe(at >= 0 ? id : undefined);
        expect(idsOf(open)).toEqual(expected);
        expect(open.isEmpty).toBe(expected.length === 0);
      }
    }),
  );
});

it('pending calls keep their order when one in the middle has its result first', () => {
  const open = new PendingCalls(['a', 'b', 'c', 'd'].map(call));

  open.take('b');
  open.take('d');

  expect(idsOf(open)).toEqual(['a', 'c']);
});
