import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../../core/test/support/soak.ts';
import { BugSearches } from './bug-searches.ts';
import type { PlantedBug } from './planted-bug.ts';

const MAX_CASES = 1_500;

/** The seeds of the searches for planted bugs. */
export interface BugSeeds {
  readonly seed: number;
  /**
   * Seeds that detect the bugs with the longest searches early. Searches with `seed` detect these
   * bugs as well.
   */
  readonly early: ReadonlyMap<string, number>;
}

/** Tests that a property notices each planted bug. */
export function describePlantedBugs(bugs: readonly PlantedBug[], { seed, early }: BugSeeds): void {
  describe.concurrent('notices a planted bug', { timeout: 600_000 }, () => {
    const names = bugs.map(({ name }) => name);
    const processes: BugSearches[] = [];
    beforeAll(() => {
      for (let core = 0; core < availableParallelism(); core++) processes.push(new BugSearches());
    });
    afterAll(() => {
      for (const one of processes) one[Symbol.dispose]();
    });

    it.each(names)('%s', async (name) => {
      const process = processes[names.indexOf(name) % processes.length];
      const chosen = SOAK_TIMES > 1 ? seed : (early.get(name) ?? seed);

      const found = await process?.search({ name, maxCases: MAX_CASES, seed: chosen });

      expect(found?.violation).toEqual(expect.any(String));
    });
  });
}
