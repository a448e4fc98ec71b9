import {
  type Cases,
  expect,
  expectOne,
  expectSame,
  expectState,
  LONG_LEASE,
  RUN_AGAIN,
  TEST_KEY,
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

const FOUND_OUT = { kind: 'outcome', outcome: { found: 'out' } } as const;

/** Cases about doubts and their resolutions. */
export const doubtCases: Cases = {
  'returns the reason of a doubt, and frees nothing': async (fixture) => {
    const { ledger } = fixture;
    const { attempt } = await fixture.claimInDoubt();

    const all = [
      await ledger.claim(TEST_KEY, { lease: LONG_LEASE }),
      await ledger.record(TEST_KEY, { outcome: 'denied' }),
      await ledger.read(TEST_KEY),
    ];

    for (const result of all) {
      const { reason, claim } = expectState(result, 'doubt');
      expectSame(reason, 'timed out', 'the reason');
      expectSame(claim.attempt, attempt, 'the attempt');
    }
  },

  'keeps the first reason of a doubt': async (fixture) => {
    const claim = await fixture.claimInDoubt();

    await fixture.ledger.doubt(claim, 'something else');

    expectSame((await fixture.expectEntry('doubt')).reason, 'timed out', 'the reason');
  },

  'lets the owner set a reason after its lease expired': async (fixture) => {
    const claim = await fixture.claimExpired();

    await fixture.ledger.doubt(claim, 'was interrupted');

    expectSame((await fixture.expectEntry('doubt')).reason, 'was interrupted', 'the reason');
  },

  'does not mark a claim that is over as in doubt': async (fixture) => {
    const { ledger } = fixture;
    await ledger.doubt(UNKNOWN_CLAIM, 'x');
    await fixture.expectFree();

    const released = await fixture.claim();
    await ledger.release(released);
    await ledger.doubt(released, 'x');
    await fixture.expectFree();

    const resolved = await fixture.claimResolved();
    const claim = await fixture.claim();
    await ledger.doubt(resolved, 'x');
    await fixture.expectEntry('busy');

    await ledger.settle(claim, 'done');
    await ledger.doubt(claim, 'x');
    await fixture.expectOutcome('done');
  },

  'frees a call in doubt that is resolved as run-again': async (fixture) => {
    const { ledger } = fixture;
    const doubted = await fixture.claimInDoubt('digest-1');
    expectSame(await ledger.resolve(doubted, RUN_AGAIN), 'resolved', 'resolve');
    await fixture.expectFree();

    const expired = await fixture.claimExpired('digest-2');
    expectSame(await ledger.resolve(expired, RUN_AGAIN), 'resolved', 'resolve');
    await fixture.expectFree();

    await fixture.claimSettled('done');
  },

  'settles a call in doubt that is resolved with an outcome': async (fixture) => {
    const claim = await fixture.claimInDoubt('digest-1');

    expectSame(await fixture.ledger.resolve(claim, FOUND_OUT), 'resolved', 'resolve');

    await fixture.expectOutcome(FOUND_OUT.outcome);
    const { digest } = await fixture.expectEntry('settled');
    expect(digest === 'digest-1', 'the entry has lost its digest');
    expectState(await fixture.ledger.claim(TEST_KEY, { lease: LONG_LEASE }), 'settled');
  },

  'does not resolve a key that is not in doubt': async (fixture) => {
    const { ledger } = fixture;
    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(UNKNOWN_CLAIM, resolution), 'lost', 'resolve of a free key');
    }
    await fixture.expectFree();

    const claim = await fixture.claim();
    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(claim, resolution), 'lost', 'resolve of a busy key');
    }
    await fixture.expectEntry('busy');

    await ledger.settle(claim, 'done');
    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(claim, resolution), 'lost', 'resolve of a settled key');
    }
    await fixture.expectOutcome('done');
  },

  'does not apply the resolution of one attempt to a later attempt': async (fixture) => {
    const { ledger } = fixture;
    const first = await fixture.claimResolved();
    const second = await fixture.claimInDoubt();

    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(first, resolution), 'lost', 'a stale resolve');
    }

    expectSame((await fixture.expectEntry('doubt')).claim.attempt, second.attempt, 'the attempt');
  },

  'accepts exactly one of several concurrent resolutions': async (fixture) => {
    const { ledger } = fixture;
    const claim = await fixture.claimInDoubt();

    const resolutions = Array.from({ length: 20 }, () => ledger.resolve(claim, RUN_AGAIN));
    expectOne(await Promise.all(resolutions), ['resolved']);

    const claims = Array.from({ length: 20 }, () => ledger.claim(TEST_KEY, { lease: LONG_LEASE }));
    expectOne(
      (await Promise.all(claims)).map(({ state }) => state),
      ['held'],
    );
  },
};
