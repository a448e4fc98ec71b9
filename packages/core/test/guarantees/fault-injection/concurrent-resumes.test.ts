import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../support/soak.ts';
import { cases } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { playRandom } from './support/play-random.ts';

inOneThread();

describe('a parked run that up to 16 processes resume concurrently', () => {
  it(
    'executes approved calls once, and returns the same outcome to every process',
    async () => {
      const tally = await playRandom(
        cases({ atOnce: 16, waves: 1, mishaps: [] }),
        300 * SOAK_TIMES,
      );

      const wanted = ['finished', 'parked', 'already-resumed', 'call-busy', 'invalid-results'];
      expect(tally.fewerThan(20 * SOAK_TIMES, [...wanted, 'stale answers', 'edited'])).toEqual([]);
    },
    120_000 * SOAK_TIMES,
  );
});
