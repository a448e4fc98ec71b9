import {
  LedgerFixture,
  type Cases,
  CLOCK_TOLERANCE,
  expect,
  expectState,
  TEST_KEY,
  SHORT_LEASE,
} from './fixture.ts';

const DAY = 86_400_000;

/** Cases about `retainedSince`, for every ledger. */
export const knowledgeCases: Cases = {
  'does not report knowledge from before it was created': async (fixture) => {
    const since = await fixture.ledger.retainedSince();

    const isNow = Math.abs(since - fixture.now()) < CLOCK_TOLERANCE;
    expect(isNow, `it was created now, at ${fixture.now()}, and reports knowledge since ${since}`);
  },

  'contains every entry since the time that it reports': async (fixture) => {
    const recordedAt = await recordNow(fixture);
    for (let waits = 0; waits < 4; waits++) {
      await fixture.advance(fixture.hasTestClock ? 100 * DAY : SHORT_LEASE);
      await expectNotLost(fixture, recordedAt);
    }
  },
};

/** Cases about ledgers that delete old entries. */
export const retentionCases: Cases = {
  'contains every entry since the time that it reports, during and after the retention': async (
    fixture,
  ) => {
    const recordedAt = await recordNow(fixture);
    let since = await fixture.ledger.retainedSince();
    for (let waits = 0; waits < 6; waits++) {
      await fixture.advance(LedgerFixture.RETENTION / 4);
      await expectNotLost(fixture, recordedAt);
      // A new entry can cause a ledger to delete old ones.
      await fixture.ledger.record({ ...TEST_KEY, slot: `call:${waits}` }, { outcome: 'other' });
      await expectNotLost(fixture, recordedAt);
      const next = await fixture.ledger.retainedSince();
      expect(next >= since, `it reported knowledge since ${since}, and then since ${next}`);
      since = next;
    }
    expect(since > recordedAt, 'it reports knowledge from before the retention time');
  },

  'keeps entries for the retention time': async (fixture) => {
    await recordNow(fixture);

    await fixture.advance(LedgerFixture.RETENTION / 2);

    expectState(await fixture.ledger.read(PARKED_KEY), 'settled');
  },

  'settles a claim that is older than the retention time': async (fixture) => {
    const claim = await fixture.claim();

    await fixture.advance(LedgerFixture.RETENTION * 1.5);
    for (let index = 1; index < 10; index++) {
      await fixture.ledger.record({ ...TEST_KEY, slot: `call:${index}` }, { outcome: 'other' });
    }

    expect((await fixture.ledger.settle(claim, 'done')) === 'settled', 'the outcome was lost');
    await fixture.expectOutcome('done');
  },
};

const PARKED_KEY = { step: 'parked', slot: 'call:0' };

/** Records an outcome for a step that parks now. Returns the time. */
async function recordNow(fixture: LedgerFixture): Promise<number> {
  // The clock of the ledger may differ from that of the case.
  const parkedAt = Math.max(fixture.now(), await fixture.ledger.retainedSince());
  expectState(await fixture.ledger.record(PARKED_KEY, { outcome: 'done' }), 'recorded');
  return parkedAt;
}

/** Reads the entry before `retainedSince`, like a run: a missing entry must be older than that time. */
async function expectNotLost(fixture: LedgerFixture, parkedAt: number): Promise<void> {
  const result = await fixture.ledger.read(PARKED_KEY);
  const since = await fixture.ledger.retainedSince();
  if (since <= parkedAt) expectState(result, 'settled');
}
