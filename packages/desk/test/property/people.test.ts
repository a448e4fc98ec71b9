import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { executeProgram } from './support/execute-program.ts';
import type { PeopleTally } from './support/people/play.ts';

/** The number of stories. */
const CASES = 120 * SOAK_TIMES;

const SEED = Number(process.env['RANDOM_SEED'] ?? 20_261_118);

describe('a call whose rules escalate, name people and are delegated', () => {
  it(`executes only if enough people meet its policy at that time (${CASES} stories on SQLite)`, {
    timeout: 600_000 * SOAK_TIMES,
  }, async ({ signal }) => {
    const { violation, tally } = await executeProgram<{
      readonly violation?: string;
      readonly tally: PeopleTally;
    }>('people/people-process.ts', [`${CASES}`, `${SEED}`], signal);

    expect(violation).toBeUndefined();
    // Stories without events would prove nothing.
    for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(0);
  });
});
