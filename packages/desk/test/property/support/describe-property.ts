import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../../core/test/support/soak.ts';
import { checkProperty } from './check-property.ts';
import { TestClock } from './test-clock.ts';

/** Files here are in memory, where there is such a folder: the stories are not about the disk. */
const MEMORY = '/dev/shm';

/** The number of stories in each of the four files, which the test workers share. */
const CASES = 2_450 * SOAK_TIMES;

const SEED = Number(process.env['RANDOM_SEED'] ?? 20_261_117);

/** The property of the desk, on SQLite in memory; each part plays other stories. */
export function describeProperty(part: 1 | 2 | 3 | 4): void {
  describe('a call at the desk', () => {
    it(`executes only if eligible approvers who were shown it meet its policy (${CASES} stories on SQLite, part ${part} of 4)`, {
      timeout: 240_000 * SOAK_TIMES,
    }, async () => {
      const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'holdpoint-'));
      let stores = 0;
      const open = async () => {
        const clock = new TestClock();
        const path = join(folder, `stories-${++stores}.db`);
        return { store: await sqliteStore({ path, now: clock.now }), clock };
      };

      try {
        const options = { cases: CASES, seed: SEED + part };
        const tally = await checkProperty({ open, storiesPerStore: 50 }, options);
        // Stories in which nothing happens would show nothing.
        for (const [what, times] of Object.entries(tally)) {
          expect(times, what).toBeGreaterThan(CASES / 200);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
}
