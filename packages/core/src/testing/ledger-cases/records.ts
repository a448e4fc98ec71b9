import {
  type Cases,
  CLOCK_TOLERANCE,
  expect,
  expectOne,
  expectSame,
  expectState,
  LedgerFixture,
  LONG_LEASE,
  SHORT_LEASE,
  TEST_KEY,
} from './fixture.ts';

const DENIED = { kind: 'denied', message: 'No.' };

/** Cases about outcomes that are recorded without an execution. */
export const recordCases: Cases = {
  'returns a recorded outcome to a caller that claims the key': async (fixture) => {
    const { ledger } = fixture;
    expectState(await ledger.record(TEST_KEY, { digest: 'digest-1', outcome: DENIED }), 'recorded');

    const result = await ledger.claim(TEST_KEY, { digest: 'digest-1', lease: LONG_LEASE });

    const { outcome, digest } = expectState(result, 'settled');
    expectSame(outcome, DENIED, 'the outcome');
    expect(digest === 'digest-1', 'the entry has lost its digest');
    expectState(
      await ledger.claim(TEST_KEY, { digest: 'digest-2', lease: LONG_LEASE }),
      'conflict',
    );
  },

  'records only the first outcome': async (fixture) => {
    const { ledger } = fixture;
    await ledger.record(TEST_KEY, { outcome: DENIED });

    const result = expectState(await ledger.record(TEST_KEY, { outcome: 'approved' }), 'settled');

    expectSame(result.outcome, DENIED, 'the outcome');
    await fixture.expectOutcome(DENIED);
  },

  'does not record over a claim, a doubt or an outcome': async (fixture) => {
    const { ledger } = fixture;
    const claim = await fixture.claim();
    expectState(await ledger.record(TEST_KEY, { outcome: DENIED }), 'busy');
    await fixture.expectEntry('busy');

    await ledger.doubt(claim, 'timed out');
    expectState(await ledger.record(TEST_KEY, { outcome: DENIED }), 'doubt');
    await fixture.expectEntry('doubt');

    await ledger.settle(claim, 'done');
    expectState(await ledger.record(TEST_KEY, { outcome: DENIED }), 'settled');
    await fixture.expectOutcome('done');
  },

  'accepts exactly one of 50 concurrent claims and 50 records': async ({ ledger }) => {
    // A claim is first in one round, and a record in the other.
    for (const first of [0, 1]) {
      const key = { ...TEST_KEY, slot: `call:${first}` };
      const all = Array.from({ length: 100 }, (_, index) =>
        index % 2 === first
          ? ledger.claim(key, { lease: LONG_LEASE })
          : ledger.record(key, { outcome: { index } }),
      );

      expectOne(
        (await Promise.all<{ readonly state: string }>(all)).map(({ state }) => state),
        ['held', 'recorded'],
      );
    }
  },
};

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
