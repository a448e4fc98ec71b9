import { MemoryLedger } from 'holdpoint';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { SOAK_TIMES } from '../../support/soak.ts';
import { order, resumePlan } from './support/cases.ts';
import { mishaps } from './support/mishaps.ts';
import { inOneThread } from './support/one-thread.ts';
import { comeBack, finishCase, takeUp } from './support/play.ts';
import { Tally } from './support/reached.ts';
import { type Work, work } from './support/plans.ts';
import { LEASE } from './support/stage.ts';
import { beginCase, World } from './support/world.ts';

inOneThread();

/** One response with calls of at-most-once tools that need no approval, and of other tools. */
const onceWork: fc.Arbitrary<Work> = work.map(({ tools, batches }) => ({
  tools: tools.map((tool, index) => (index === 0 ? { ...tool, asks: 'never', once: true } : tool)),
  batches: batches.slice(0, 1),
}));

const restarts = fc.record({
  work: onceWork,
  order,
  mishaps: mishaps(['crash', 'freeze', 'throw', 'throw', 'abort', 'tick', 'expire'], 4),
  times: fc.integer({ min: 1, max: 3 }),
  afterwards: fc.array(resumePlan, { minLength: 3, maxLength: 3 }),
});

describe('an interrupted run that is restarted with the same ids', () => {
  it(
    'executes at-most-once tools once and requests decisions about calls in doubt',
    async () => {
      const tally = new Tally();
      await fc.assert(
        fc.asyncProperty(restarts, async (one) => {
          beginCase();
          const ledger = new MemoryLedger();
          const places = one.times + 2;
          const world = new World({ ...one, ledger, places, repeats: true });
          world.stage.threaten(one.mishaps);
          for (let time = 0; time <= one.times; time++) {
            const run = world.begin(time, { runId: 'the-run', conversationId: 'the-talk' });
            await world.stage.play();
            vi.advanceTimersByTime(2 * LEASE);
            world.stage.threaten([]);
            if (run.status !== undefined && run.status !== 'failed') break;
          }
          const problems = await takeUp(world, one.afterwards);
          await comeBack(world);

          const { broken, reached } = await finishCase(world, problems);
          tally.add(reached);
          expect(broken).toEqual([]);
        }),
        { numRuns: 500 * SOAK_TIMES },
      );

      expect(
        tally.fewerThan(10 * SOAK_TIMES, ['finished', 'parked', 'died', 'approved in doubt']),
      ).toEqual([]);
    },
    120_000 * SOAK_TIMES,
  );
});
