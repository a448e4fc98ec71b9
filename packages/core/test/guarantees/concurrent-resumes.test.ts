import { describe, expect, it } from 'vitest';
import { cases } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { playRandom } from './support/play-random.ts';

inOneThread();

describe('a parked run that up to 16 resume at once', () => {
  it('runs what was approved once, and gives everybody the same outcome', async () => {
    const tally = await playRandom(cases({ atOnce: 16, waves: 1, mishaps: [] }), 800);

    const wanted = ['finished', 'deferred', 'already-resumed', 'call-busy', 'refused-answers'];
    expect(tally.fewerThan(60, [...wanted, 'stale answers', 'edited'])).toEqual([]);
  }, 120_000);
});
