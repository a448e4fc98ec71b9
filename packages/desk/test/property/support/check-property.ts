import * as fc from 'fast-check';
import { RANDOM_SEED } from '../../../../core/test/support/random-seed.ts';
import { newTally, play, type Tally } from './play.ts';
import { Stage, type StoryStore } from './stage.ts';
import type { Story } from './stories.ts';

/** A store gets slower with its rows, so stories move to a new one after some time. */
const STORIES_PER_STORE = 100;

/** How stories are played. */
export interface PropertyOptions {
  readonly numRuns: number;
  /** Added to the seed, so that several searches at once play different stories. */
  readonly lane?: number | undefined;
  readonly tally?: Tally | undefined;
}

/** Plays random stories, and throws the shortest one in which the property does not hold. */
export async function checkProperty(
  open: () => Promise<StoryStore>,
  stories: fc.Arbitrary<Story>,
  { numRuns, lane = 0, tally = newTally() }: PropertyOptions,
): Promise<Tally> {
  let opened = await open();
  let stage = new Stage(opened);
  let cases = 0;
  try {
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        cases += 1;
        if (cases % STORIES_PER_STORE === 0) {
          await opened.store.close();
          opened = await open();
          stage = new Stage(opened);
        }
        await play(stage, story, tally);
      }),
      { numRuns, seed: RANDOM_SEED + lane },
    );
  } finally {
    await opened.store.close();
  }
  return tally;
}
