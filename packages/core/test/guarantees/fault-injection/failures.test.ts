import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../support/soak.ts';
import { cases } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { playRandom } from './support/play-random.ts';

inOneThread();

describe('a parked run with ledger failures, expired leases or an abort', () => {
  it(
    'violates no guarantee and can be resumed until it finishes',
    async () => {
      const mishaps = ['throw', 'throw', 'abort', 'tick', 'expire'] as const;
      const tally = await playRandom(cases({ atOnce: 3, waves: 3, mishaps }), 560 * SOAK_TIMES);

      const inDoubt = ['approved in doubt', 'denied in doubt', 'answered in doubt', 'ran again'];
      expect(
        tally.fewerThan(3 * SOAK_TIMES, ['failed', 'outcome-not-settled', ...inDoubt]),
      ).toEqual([]);
    },
    120_000 * SOAK_TIMES,
  );
});
