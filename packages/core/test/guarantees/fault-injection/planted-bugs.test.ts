import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Case, cases } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { play } from './support/play.ts';
import { plantedBugs, withBug } from './support/planted-bugs.ts';

inOneThread();

const anything = cases({
  atOnce: 4,
  waves: 3,
  mishaps: ['crash', 'freeze', 'freeze', 'thaw', 'expire', 'expire', 'throw', 'abort', 'tick'],
});

describe('the checks of the guarantees', () => {
  it.each(Object.entries(plantedBugs))(
    'detect %s',
    async (_, [bug, expected]) => {
      const seen = async (one: Case) => {
        const { broken } = await play(one, withBug(bug));
        return broken.some((promise) => expected.test(promise));
      };

      const { failed } = await fc.check(
        fc.asyncProperty(anything, async (one) => !(await seen(one))),
        { numRuns: 1500, endOnFailure: true },
      );

      expect(failed).toBe(true);
    },
    60_000,
  );
});
