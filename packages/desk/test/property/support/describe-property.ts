import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../../core/test/support/soak.ts';
import { checkProperty } from './check-property.ts';
import type { Tally } from './play.ts';
import { openSqlite } from './sqlite-story-store.ts';
import { STORIES, type Theme } from './stories.ts';

const CASES = 1_600 * SOAK_TIMES;

/** The property in plain words. */
export const PROPERTY =
  'no call executes unless distinct eligible approvers, as many as its policy demands for these arguments, ' +
  'were shown exactly this call and approved it';

/** The facts that occur in at least one of a hundred stories: without them the stories would show nothing. */
const SHOWN: Readonly<Record<Theme, readonly (keyof Tally)[]>> = {
  votes: ['executions', 'quorums', 'refusals', 'byLink'],
  edits: ['executions', 'edited', 'refusals', 'requestedAgain'],
  grants: ['executions', 'byGrant', 'refusals'],
  drift: ['executions', 'edited', 'requestedAgain'],
  crashes: ['executions', 'reopened', 'inDoubt'],
  forgeries: ['executions', 'refusals', 'edited'],
};

/** Declares the test of the property, in random stories of a theme on SQLite. */
export function describeProperty(theme: Theme): void {
  describe(`the property of the desk, in random stories about ${theme}`, () => {
    it(PROPERTY, { timeout: 300_000 * SOAK_TIMES }, async () => {
      const tally = await checkProperty(openSqlite, STORIES[theme], { numRuns: CASES });

      for (const what of SHOWN[theme]) expect(tally[what], what).toBeGreaterThan(CASES / 100);
    });
  });
}
