import {
  type Cases,
  CLOCK_TOLERANCE,
  expect,
  expectNone,
  expectOne,
  expectState,
  TEST_KEY,
  LONG_LEASE,
  SHORT_LEASE,
} from './fixture.ts';

/** Cases about claims and their leases. */
export const claimCases: Cases = {
  'returns undefined for a key that was never claimed': async ({ ledger }) => {
    expectNone(await ledger.read(TEST_KEY));
  },

  'lets the first caller claim a free key, and reports it as busy to all others': async (
    fixture,
  ) => {
    const { ledger } = fixture;
    const { claim } = expectState(await ledger.claim(TEST_KEY, { lease: LONG_LEASE }), 'held');
    expect(
      claim.key.step === TEST_KEY.step && claim.key.slot === TEST_KEY.slot,
      'the claim has another key',
    );

    for (const result of [
      await ledger.claim(TEST_KEY, { lease: LONG_LEASE }),
      await ledger.read(TEST_KEY),
    ]) {
      const { until } = expectState(result, 'busy');
      const isEnd = Math.abs(until - fixture.now() - LONG_LEASE) < CLOCK_TOLERANCE;
      expect(isEnd, `the lease ends at ${until}, which is not ${LONG_LEASE} ms from now`);
    }
  },

  'lets exactly one of 100 concurrent callers claim a key': async ({ ledger }) => {
    const claims = Array.from({ length: 100 }, () => ledger.claim(TEST_KEY, { lease: LONG_LEASE }));
    const result = await Promise.all(claims);

    expectOne(
      result.map(({ state }) => state),
      ['held'],
    );
    for (const { state } of result)
      expect(state === 'held' || state === 'busy', `one got ${state}`);
  },

  'gives every attempt a unique name': async (fixture) => {
    const first = await fixture.claim();
    await fixture.ledger.release(first);
    const second = await fixture.claim();
    const other = expectState(
      await fixture.ledger.claim({ ...TEST_KEY, slot: 'call:1' }, { lease: LONG_LEASE }),
      'held',
    );

    const attempts = new Set([first.attempt, second.attempt, other.claim.attempt]);
    expect(attempts.size === 3, 'two attempts have the same name');
  },

  'reports a claim with an expired lease as in doubt, and never frees it': async (fixture) => {
    const { attempt } = await fixture.claimExpired();

    for (let tries = 0; tries < 3; tries++) {
      const result = await fixture.ledger.claim(TEST_KEY, { lease: LONG_LEASE });
      const { claim, reason, since } = expectState(result, 'doubt');
      expect(claim.attempt === attempt, 'the doubt is about another attempt');
      expect(reason !== '', 'the doubt has no reason');
      expect(
        Math.abs(since - fixture.now()) < CLOCK_TOLERANCE + LONG_LEASE * tries,
        `the doubt is since ${since}`,
      );
      await fixture.advance(fixture.hasTestClock ? LONG_LEASE : SHORT_LEASE);
    }
    await fixture.expectEntry('doubt');
    expectState(await fixture.ledger.record(TEST_KEY, { outcome: 'denied' }), 'doubt');
  },

  'keeps a claim busy while its owner extends it': async (fixture) => {
    const { ledger } = fixture;
    const { claim } = expectState(await ledger.claim(TEST_KEY, { lease: SHORT_LEASE }), 'held');

    for (let beats = 0; beats < 3; beats++) {
      expect((await ledger.extend(claim, LONG_LEASE)) === 'extended', 'the owner could not extend');
      await fixture.advance(fixture.hasTestClock ? LONG_LEASE - 1 : SHORT_LEASE * 1.5);
      expectState(await ledger.claim(TEST_KEY, { lease: LONG_LEASE }), 'busy');
    }
  },

  'lets the owner shorten its lease': async (fixture) => {
    const claim = await fixture.claim();

    expect(
      (await fixture.ledger.extend(claim, SHORT_LEASE)) === 'extended',
      'the owner could not extend',
    );
    await fixture.advance(SHORT_LEASE * 1.5);

    await fixture.expectEntry('doubt');
  },

  'lets the owner extend an expired lease': async (fixture) => {
    const claim = await fixture.claimExpired();

    expect(
      (await fixture.ledger.extend(claim, LONG_LEASE)) === 'extended',
      'the owner could not extend',
    );

    await fixture.expectEntry('busy');
    expectState(await fixture.ledger.claim(TEST_KEY, { lease: LONG_LEASE }), 'busy');
  },

  'does not extend a claim that is over': async (fixture) => {
    const { ledger } = fixture;
    const lost = async (claim: Parameters<typeof ledger.extend>[0]) =>
      expect(
        (await ledger.extend(claim, LONG_LEASE)) === 'lost',
        'a claim that is over was extended',
      );

    const released = await fixture.claim();
    await ledger.release(released);
    await lost(released);
    await fixture.expectFree();

    const freed = await fixture.claimResolved();
    await lost(freed);
    await fixture.expectFree();

    const doubted = await fixture.claimInDoubt();
    await lost(freed);
    await lost(doubted);
    await fixture.expectEntry('doubt');

    await ledger.settle(doubted, 'done');
    await lost(doubted);
    await fixture.expectOutcome('done');
  },

  'frees a released key': async (fixture) => {
    const claim = await fixture.claim('digest-1');

    await fixture.ledger.release(claim);
    await fixture.expectFree();
    await fixture.claim('digest-2');
    // The attempt has ended, so it must not affect the next one.
    await fixture.ledger.release(claim);

    await fixture.expectEntry('busy');
  },

  'frees a key that is released after its lease expired': async (fixture) => {
    await fixture.ledger.release(await fixture.claimExpired());

    await fixture.expectFree();
  },

  'does not free a key that is settled, in doubt or resolved': async (fixture) => {
    const { ledger } = fixture;
    const freed = await fixture.claimResolved();
    const doubted = await fixture.claimInDoubt();
    await ledger.release(freed);
    await ledger.release(doubted);
    await fixture.expectEntry('doubt');

    await ledger.settle(doubted, 'done');
    await ledger.release(doubted);
    await fixture.expectOutcome('done');
  },

  'reports a conflict between two digests in every state': async (fixture) => {
    const { ledger } = fixture;
    const conflicts = async () => {
      const claimed = await ledger.claim(TEST_KEY, { digest: 'digest-2', lease: LONG_LEASE });
      const recorded = await ledger.record(TEST_KEY, { digest: 'digest-2', outcome: 'no' });
      for (const result of [claimed, recorded]) {
        const { digest } = expectState(result, 'conflict');
        expect(digest === 'digest-1', `the entry has the digest ${digest}`);
      }
    };

    const claim = await fixture.claim('digest-1');
    await conflicts();
    expect((await fixture.expectEntry('busy')).digest === 'digest-1', 'busy has another digest');

    await ledger.doubt(claim, 'timed out');
    await conflicts();
    expect((await fixture.expectEntry('doubt')).digest === 'digest-1', 'doubt has another digest');

    await ledger.settle(claim, 'done');
    await conflicts();
    expect((await fixture.expectEntry('settled')).digest === 'digest-1', 'it has another digest');
    await fixture.expectOutcome('done');
  },

  'reports no conflict for the same digest or a missing one': async (fixture) => {
    const { ledger } = fixture;
    await fixture.claim('digest-1');
    expectState(await ledger.claim(TEST_KEY, { digest: 'digest-1', lease: LONG_LEASE }), 'busy');
    expectState(await ledger.claim(TEST_KEY, { lease: LONG_LEASE }), 'busy');

    const other = { ...TEST_KEY, slot: 'call:1' };
    expectState(await ledger.claim(other, { lease: LONG_LEASE }), 'held');
    expectState(await ledger.claim(other, { digest: 'digest-1', lease: LONG_LEASE }), 'busy');
  },
};
