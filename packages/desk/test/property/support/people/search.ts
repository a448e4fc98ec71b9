import { sqliteStore, type Store } from '@holdpoint/desk';
import * as fc from 'fast-check';
import { Violation } from '../oracle.ts';
import type { SearchResult } from '../search-result.ts';
import { TestClock } from '../test-clock.ts';
import { newPeopleTally, type PeopleTally, playPeople } from './play.ts';
import { peopleStories } from './stories.ts';

/** The number of stories on one store in memory, which gets slower with its rows. */
const STORIES_PER_STORE = 40;

/**
 * Plays random stories about people, and counts their events. Returns the first violation. Other
 * errors are thrown only if `isStrict`: a planted bug can break the desk without violating the
 * property.
 */
export async function searchPeople(
  cases: number,
  seed: number,
  isStrict = false,
): Promise<SearchResult & { readonly tally: PeopleTally }> {
  const tally = newPeopleTally();
  let played = 0;
  let violation: string | undefined;
  let failure: unknown;
  let stage: { readonly store: Store; readonly clock: TestClock } | undefined;
  const property = fc.asyncProperty(peopleStories, async (story) => {
    if (stage === undefined || played % STORIES_PER_STORE === 0) {
      await stage?.store.close();
      const clock = new TestClock();
      stage = { clock, store: await sqliteStore({ now: clock.now }) };
    }
    played += 1;
    try {
      await playPeople(stage, story, tally);
    } catch (error) {
      if (!(error instanceof Violation)) {
        if (isStrict) failure ??= error;
        return;
      }
      violation = `${error.message}: ${JSON.stringify(story)}`;
      throw error;
    }
  });
  await fc.check(property, { numRuns: cases, seed, endOnFailure: true });
  await stage?.store.close();
  if (failure !== undefined) throw failure;
  return { violation, cases: played, tally };
}
