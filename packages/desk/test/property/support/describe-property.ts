import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../../core/test/support/soak.ts';
import { executeProgram } from './execute-program.ts';
import type { Tally } from './play.ts';

/** The number of stories in each of the four files, which the test workers share. */
const CASES = 2_400 * SOAK_TIMES;

const SEED = Number(process.env['RANDOM_SEED'] ?? 20_261_117);

/** Tests the property of the desk, on SQLite in memory. Each part plays other stories. */
export function describeProperty(part: 1 | 2 | 3 | 4): void {
  describe('a call at the desk', () => {
    it(`executes only if eligible approvers who were shown it meet its policy (${CASES} stories on SQLite, part ${part} of 4)`, {
      // A busy machine needs a few times as long as an idle one.
      timeout: 600_000 * SOAK_TIMES,
    }, async ({ signal }) => {
      const args = [`${CASES}`, `${SEED + part}`];

      const tally = await executeProgram<Tally>('property-process.ts', args, signal);

      // Stories without events would prove nothing.
      for (const [what, times] of Object.entries(tally)) {
        expect(times, what).toBeGreaterThan(CASES / 200);
      }
    });
  });
}
