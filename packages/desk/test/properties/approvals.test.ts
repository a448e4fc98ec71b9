import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { STORES } from '../support/opened-store.ts';
import { commands } from './support/commands.ts';
import { type Tally, World } from './support/world.ts';

const RUNS: Readonly<Record<string, number>> = {
  'in memory': 200 * SOAK_TIMES,
  'in SQLite': 8 * SOAK_TIMES,
};

describe.each(STORES)('approvals at a desk %s', (name, open) => {
  it('are those that the policy asks for, whatever happens in whatever order', {
    timeout: 300_000 * SOAK_TIMES,
  }, async () => {
    const tally: Tally = { executions: 0, byGrant: 0, refusals: 0, reopened: 0, voided: 0 };

    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        await using opened = await open();
        const world = new World(opened, tally);
        for (const command of all) await world.do(command);
      }),
      { numRuns: RUNS[name] ?? 10, endOnFailure: true },
    );

    if (name === 'in memory') {
      for (const [what, count] of Object.entries(tally)) expect(count, what).toBeGreaterThan(0);
    }
  });
});
