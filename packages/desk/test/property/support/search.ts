import { sqliteStore } from '@holdpoint/desk';
import * as fc from 'fast-check';
import { Violation } from './oracle.ts';
import { searchPeople } from './people/search.ts';
import { play } from './play.ts';
import type { SearchResult } from './search-result.ts';
import { Stage } from './stage.ts';
import { STORIES, type Theme } from './stories.ts';
import { TestClock } from './test-clock.ts';

/** The number of stories on one store in memory, which gets slower with its rows. */
const STORIES_PER_STORE = 40;

/** Plays random stories of a theme in memory until one of them breaks the property. */
export async function searchViolation(
  theme: Theme | 'people',
  maxCases: number,
  seed: number,
): Promise<SearchResult> {
  if (theme === 'people') return searchPeople(maxCases, seed);
  let stage = await newStage();
  let cases = 0;
  let violation: string | undefined;
  await fc.check(
    fc.asyncProperty(STORIES[theme], async (story) => {
      cases += 1;
      if (cases % STORIES_PER_STORE === 0) {
        await stage.store.close();
        stage = await newStage();
      }
      try {
        await play(stage, story);
      } catch (error) {
        // A bug can also break the desk without violating the property.
        if (!(error instanceof Violation)) return;
        violation = error.message;
        throw error;
      }
    }),
    { numRuns: maxCases, seed, endOnFailure: true },
  );
  await stage.store.close();
  return { violation, cases };
}

async function newStage(): Promise<Stage> {
  const clock = new TestClock();
  return new Stage({ store: await sqliteStore({ now: clock.now }), clock });
}
