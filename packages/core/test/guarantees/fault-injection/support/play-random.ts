import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Case } from './cases.ts';
import { play } from './play.ts';
import { Tally } from './reached.ts';

/** Executes random cases, which must violate no guarantee; returns the situations that they covered. */
export async function playRandom(some: fc.Arbitrary<Case>, numRuns: number): Promise<Tally> {
  const tally = new Tally();
  await fc.assert(
    fc.asyncProperty(some, async (one) => {
      const { broken, reached } = await play(one);

      tally.add(reached);
      expect(broken).toEqual([]);
    }),
    { numRuns },
  );
  return tally;
}
