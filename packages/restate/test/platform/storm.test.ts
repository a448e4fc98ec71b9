import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessFixture } from '../../../desk/test/platform/support/process-fixture.ts';
import { openStormFixture, runStorm, type StormReport } from '../support/storm.ts';

/** `npm run soak` has at least 500 runs with 2,000 holds. */
const isSoak = process.env['SOAK_TIMES'] !== undefined;
const RUNS = isSoak ? 500 : 12;
const SEED = Number(process.env['RANDOM_SEED'] ?? 20_261_118);
const DEADLINE_MS = 180_000 + RUNS * 2_000;

let fixture: ProcessFixture;

beforeAll(async () => {
  fixture = await openStormFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

function expectNoLoss(name: string, report: StormReport, runs: number): void {
  const { problems, tally, rejected, serverKills, faults, seconds } = report;
  const counts = { ...tally, rejected, serverKills, seconds };
  console.log(`${name}, seed ${SEED}: ${JSON.stringify(counts)} ${JSON.stringify(faults)}`);
  expect(problems).toEqual([]);
  expect(tally.runs).toBeGreaterThanOrEqual(runs);
  expect(tally.holds).toBeGreaterThanOrEqual(runs * 4);
  expect(serverKills).toBeGreaterThan(0);
  // The test proves little unless calls are in doubt and every fault occurs.
  expect(tally.doubts).toBeGreaterThan(0);
  expect(Object.entries(faults).filter(([, count]) => count === 0)).toEqual([]);
}

describe('a crash storm with Restate in place of the worker', () => {
  const common = {
    runs: RUNS,
    seed: SEED,
    deadlineMs: DEADLINE_MS,
    killsServer: true,
    isBrief: !isSoak,
  };

  it('loses nothing and executes nothing twice', { timeout: DEADLINE_MS * 1.2 }, async () => {
    const report = await runStorm({ ...common, fixture, isMixed: !isSoak });

    expectNoLoss(isSoak ? 'Restate' : 'Restate beside workers', report, RUNS);
  });

  it.runIf(isSoak)(
    'loses nothing with built-in workers beside it',
    { timeout: DEADLINE_MS * 1.2 },
    async () => {
      const report = await runStorm({ ...common, fixture, seed: SEED + 1, isMixed: true });

      expectNoLoss('Restate beside workers', report, RUNS);
    },
  );

  it.runIf(isSoak)('does not end without the sweep', { timeout: 300_000 }, async () => {
    // With the sweep, as few runs and faults end in a fraction of this time.
    const brief = { ...common, fixture, runs: 12, isBrief: true, deadlineMs: 150_000 };
    const storm = runStorm({ ...brief, hasNoSweep: true });

    await expect(storm).rejects.toThrow('The runs did not end');
  });
});
