import { Bench, type Checks, expect, expectState, KEY, SHORT } from './bench.ts';

/** Far more than clocks differ by. */
const SLACK = 60_000;

/** A day in milliseconds. */
const DAY = 86_400_000;

/** What every ledger says about how far back it knows. */
export const remembering: Checks = {
  'does not claim to know what was before it was made': async (bench) => {
    const since = await bench.ledger.retainedSince();

    const madeNow = Math.abs(since - bench.now()) < SLACK;
    expect(madeNow, `it was made now, at ${bench.now()}, and says that it knows since ${since}`);
  },

  'has what it says that it knows': async (bench) => {
    const recordedAt = await recordNow(bench);
    for (let waits = 0; waits < 4; waits++) {
      await bench.pass(bench.movesTime ? 100 * DAY : SHORT);
      await expectNotLost(bench, recordedAt);
    }
  },
};

/** What a ledger does that keeps entries for some time. */
export const forgetting: Checks = {
  'has what it says that it knows, for as long as it keeps entries and after': async (bench) => {
    const recordedAt = await recordNow(bench);
    let since = await bench.ledger.retainedSince();
    for (let waits = 0; waits < 6; waits++) {
      await bench.pass(Bench.RETENTION / 4);
      await expectNotLost(bench, recordedAt);
      // Other entries are what makes a ledger look for old ones.
      await bench.ledger.record({ ...KEY, slot: `call:${waits}` }, { outcome: 'other' });
      await expectNotLost(bench, recordedAt);
      const next = await bench.ledger.retainedSince();
      expect(next >= since, `it knew since ${since} and then only since ${next}`);
      since = next;
    }
    expect(since > recordedAt, 'it says that it knows what it was told to forget');
  },

  'keeps entries for as long as it was told': async (bench) => {
    await recordNow(bench);

    await bench.pass(Bench.RETENTION / 2);

    expectState(await bench.ledger.read(PARKED), 'settled');
  },

  'finds the place for an outcome that took longer than entries are kept': async (bench) => {
    const claim = await bench.claim();

    await bench.pass(Bench.RETENTION * 1.5);
    for (let index = 1; index < 10; index++) {
      await bench.ledger.record({ ...KEY, slot: `call:${index}` }, { outcome: 'other' });
    }

    expect((await bench.ledger.settle(claim, 'done')) === 'settled', 'the outcome was lost');
    await bench.expectOutcome('done');
  },
};

const PARKED = { step: 'parked', slot: 'call:0' };

/** Records something about a step that is parked now. Gives the time. */
async function recordNow(bench: Bench): Promise<number> {
  // A ledger whose clock is a little behind was made, by its clock, before now.
  const parkedAt = Math.max(bench.now(), await bench.ledger.retainedSince());
  expectState(await bench.ledger.record(PARKED, { outcome: 'done' }), 'recorded');
  return parkedAt;
}

/** Looks first and asks then, as whoever claims does: what is gone must be too old by then. */
async function expectNotLost(bench: Bench, parkedAt: number): Promise<void> {
  const said = await bench.ledger.read(PARKED);
  const since = await bench.ledger.retainedSince();
  if (since <= parkedAt) expectState(said, 'settled');
}
