import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { checkProperty } from './support/check-property.ts';
import { openSqlite } from './support/sqlite-story-store.ts';
import { STORIES } from './support/stories.ts';

const CASES = 1_600 * SOAK_TIMES;

describe.each(['votes', 'edits'] as const)(
  'the property of the desk, in random stories about %s',
  (theme) => {
    it('no call executes unless distinct eligible approvers, as many as its policy demands for these arguments, were shown exactly this call and approved it', {
      timeout: 300_000 * SOAK_TIMES,
    }, async () => {
      const tally = await checkProperty(openSqlite, STORIES[theme], { numRuns: CASES });

      for (const what of SHOWN[theme]) expect(tally[what], what).toBeGreaterThan(CASES / 100);
    });
  },
);

/** The facts without which the stories would show nothing. */
const SHOWN = {
  votes: ['executions', 'quorums', 'refusals'],
  edits: ['executions', 'edited', 'refusals'],
} as const;
