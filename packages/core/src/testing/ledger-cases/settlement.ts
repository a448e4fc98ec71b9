import {
  type Cases,
  expectOne,
  expectSame,
  expectState,
  TEST_KEY,
  LONG_LEASE,
  UNKNOWN_CLAIM,
} from './fixture.ts';

/** Cases about the outcomes of claims. */
export const settleCases: Cases = {
  'returns the outcome of a settled claim to every caller': async (fixture) => {
    const { ledger } = fixture;
    await fixture.claimSettled({ value: 1 });

    const claimed = expectState(await ledger.claim(TEST_KEY, { lease: LONG_LEASE }), 'settled');
    const recorded = expectState(await ledger.record(TEST_KEY, { outcome: 'no' }), 'settled');

    expectSame(claimed.outcome, { value: 1 }, 'the outcome for a claim');
    expectSame(recorded.outcome, { value: 1 }, 'the outcome for a record');
    await fixture.expectOutcome({ value: 1 });
  },

  'settles an attempt once, and reports it as settled again': async (fixture) => {
    const claim = await fixture.claimSettled('first');

    expectSame(await fixture.ledger.settle(claim, 'first'), 'settled', 'the same again');
    expectSame(await fixture.ledger.settle(claim, 'second'), 'settled', 'another outcome');

    await fixture.expectOutcome('first');
  },

  'settles after the lease expired': async (fixture) => {
    const claim = await fixture.claimExpired();
    await fixture.expectEntry('doubt');

    expectSame(await fixture.ledger.settle(claim, 'late'), 'settled', 'settle');

    await fixture.expectOutcome('late');
  },

  'settles a claim that its owner marked as in doubt': async (fixture) => {
    const claim = await fixture.claimInDoubt();

    expectSame(await fixture.ledger.settle(claim, 'late'), 'settled', 'settle');

    await fixture.expectOutcome('late');
  },

  'does not settle an attempt that was resolved as run-again': async (fixture) => {
    const { ledger } = fixture;
    const freed = await fixture.claimResolved();

    expectSame(await ledger.settle(freed, 'old'), 'lost', 'settle of a free key');
    await fixture.expectFree();

    const claim = await fixture.claim();
    expectSame(await ledger.settle(freed, 'old'), 'lost', "settle of another's claim");
    await fixture.expectEntry('busy');

    await ledger.doubt(claim, 'timed out');
    expectSame(await ledger.settle(freed, 'old'), 'lost', "settle of another's doubt");
    await fixture.expectEntry('doubt');

    expectSame(await ledger.settle(claim, 'new'), 'settled', 'settle by the owner');
    expectSame(await ledger.settle(freed, 'old'), 'lost', "settle of another's outcome");
    await fixture.expectOutcome('new');
  },

  'does not settle an attempt that was resolved with an outcome': async (fixture) => {
    const claim = await fixture.claimExpired();
    await fixture.ledger.resolve(claim, { kind: 'outcome', outcome: 'found out' });

    expectSame(await fixture.ledger.settle(claim, 'late'), 'lost', 'settle');

    await fixture.expectOutcome('found out');
  },

  'does not settle a key that was released, recorded or never claimed': async (fixture) => {
    const { ledger } = fixture;
    expectSame(await ledger.settle(UNKNOWN_CLAIM, 'x'), 'lost', 'settle of a free key');

    const released = await fixture.claim();
    await ledger.release(released);
    expectSame(await ledger.settle(released, 'x'), 'lost', 'settle of a released claim');
    await fixture.expectFree();

    await ledger.record(TEST_KEY, { outcome: 'denied' });
    expectSame(await ledger.settle(released, 'x'), 'lost', 'settle of a record');
    expectSame(
      await ledger.settle(UNKNOWN_CLAIM, 'x'),
      'lost',
      'settle of a record with an unknown claim',
    );
    await fixture.expectOutcome('denied');
  },

  'accepts either a late outcome or a resolution, not both': async (fixture) => {
    const claim = await fixture.claimExpired();

    const [settled, resolved] = await Promise.all([
      fixture.ledger.settle(claim, 'late'),
      fixture.ledger.resolve(claim, { kind: 'outcome', outcome: 'found out' }),
    ]);

    expectOne([settled, resolved], ['settled', 'resolved']);
    await fixture.expectOutcome(settled === 'settled' ? 'late' : 'found out');
  },
};
