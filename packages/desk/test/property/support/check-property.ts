import * as fc from 'fast-check';
import { newTally, play, type Tally } from './play.ts';
import { Stage, type StoryStore } from './stage.ts';
import { stories } from './stories.ts';

/** A source of stores for stories. */
export interface StorySource {
  readonly open: () => Promise<StoryStore>;
  /** The number of stories on one store: a fresh one is faster than one with many rows. */
  readonly storiesPerStore: number;
}

/** Plays random stories, and counts what happened in them. Fails with the shortest one that breaks the property. */
export async function checkProperty(
  { open, storiesPerStore }: StorySource,
  { cases, seed }: { readonly cases: number; readonly seed: number },
): Promise<Tally> {
  const tally = newTally();
  let stage = new Stage(await open());
  let played = 0;
  const property = fc.asyncProperty(stories, async (story) => {
    played += 1;
    if (played % storiesPerStore === 0) {
      await stage.store.close();
      stage = new Stage(await open());
    }
    await play(stage, story, tally);
  });
  try {
    await fc.assert(property, { numRuns: cases, seed });
  } finally {
    await stage.store.close();
  }
  return tally;
}
