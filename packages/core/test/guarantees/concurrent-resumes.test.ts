import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { play } from './support/play.ts';
import { Tally } from './support/reached.ts';

inOneThread();

describe('a parked run that up to 16 resume at once', () => {
  it('runs what was approved once, and gives everybody the same outcome', async () => {
    const tally = new Tally();
    await fc.assert(
      fc.asyncProperty(cases({ atOnce: 16, waves: 1, mishaps: [] }), async (one) => {
        const { broken, reached } = await play(one);

        tally.add(reached);
        expect(broken).toEqual([]);
      }),
      { numRuns: 800 },
    );

    const wanted = ['finished', 'deferred', 'already_resumed', 'call_busy', 'refused_answers'];
    expect(tally.fewerThan(60, [...wanted, 'stale answers', 'edited'])).toEqual([]);
  }, 120_000);
});
