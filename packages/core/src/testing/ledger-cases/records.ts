import {
  type Cases,
  expect,
  expectOne,
  expectSame,
  expectState,
  TEST_KEY,
  LONG_LEASE,
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
