import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { play } from './support/play.ts';
import { Tally } from './support/reached.ts';

inOneThread();

describe('a parked run that is resumed by processes which crash, or stand still and come back', () => {
  // Fails still: an approval that was given before the call came to be in doubt counts as one that knew of the doubt.
  // See docs/guarantees.md.
  it.fails('keeps all promises, and can be brought to its end', async () => {
    const tally = new Tally();
    const mishaps = ['crash', 'freeze', 'freeze', 'thaw', 'lapse'] as const;
    await fc.assert(
      fc.asyncProperty(cases({ atOnce: 3, waves: 3, mishaps }), async (one) => {
        const { broken, reached } = await play(one);

        tally.add(reached);
        expect(broken).toEqual([]);
      }),
      { numRuns: 2800 },
    );

    const inDoubt = ['approved in doubt', 'denied in doubt', 'answered in doubt', 'ran again'];
    expect(tally.fewerThan(15, ['died', 'not over', 'stale answers', ...inDoubt])).toEqual([]);
  }, 120_000);
});
