import * as fc from 'fast-check';
import { gateOf, OPERATIONS } from './ledger-handle.ts';
import type { Mishap } from './stage.ts';

/** Any operation; `claim` and `settle` most often. */
const operation = fc.oneof(fc.constantFrom('claim', 'settle'), fc.constantFrom(...OPERATIONS));

/** A gate before or after a ledger operation, or in a tool. */
const someGate = fc.record({
  label: fc.oneof(
    { arbitrary: fc.constant('tool'), weight: 1 },
    {
      arbitrary: fc
        .tuple(operation, fc.constantFrom('before', 'after'))
        .map(([name, when]) => gateOf(name, when)),
      weight: 4,
    },
  ),
  nth: fc.nat({ max: 3 }),
});

/** Faults of these kinds. */
export function mishaps(
  kinds: readonly Mishap['kind'][],
  maxLength: number,
): fc.Arbitrary<readonly Mishap[]> {
  const mishap = fc.record({
    at: fc.oneof(someGate, fc.nat({ max: 80 })),
    kind: fc.constantFrom(...kinds),
    who: fc.nat({ max: 7 }),
  });
  return fc.array(mishap, { maxLength, size: 'max' });
}
