import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../support/soak.ts';
import { cases } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { playRandom } from './support/play-random.ts';

inOneThread();

describe('a parked run that is resumed by processes which crash, or stand still and come back', () => {
  it(
    'keeps all promises, and can be brought to its end',
    async () => {
      const mishaps = ['crash', 'freeze', 'freeze', 'thaw', 'lapse'] as const;
      const tally = await playRandom(cases({ atOnce: 3, waves: 3, mishaps }), 560 * SOAK_TIMES);

      const inDoubt = ['approved in doubt', 'denied in doubt', 'answered in doubt', 'ran again'];
      expect(
        tally.fewerThan(3 * SOAK_TIMES, ['died', 'not over', 'stale answers', ...inDoubt]),
      ).toEqual([]);
    },
    120_000 * SOAK_TIMES,
  );
});
