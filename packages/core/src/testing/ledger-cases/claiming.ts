import {
  type Checks,
  expect,
  expectNone,
  expectOne,
  expectState,
  KEY,
  LONG,
  SHORT,
} from './bench.ts';

/** Far more than a clock is off by. */
const SLACK = 60_000;

/** Claims and their leases. */
export const claiming: Checks = {
  'knows nothing of a key that nobody claimed': async ({ ledger }) => {
    expectNone(await ledger.read(KEY));
  },

  'gives a free key to who claims it, and tells everybody else that it is busy': async (bench) => {
    const { ledger } = bench;
    const { claim } = expectState(await ledger.claim(KEY, { lease: LONG }), 'held');
    expect(claim.key.step === KEY.step && claim.key.slot === KEY.slot, 'the claim has another key');

    for (const said of [await ledger.claim(KEY, { lease: LONG }), await ledger.read(KEY)]) {
      const { until } = expectState(said, 'busy');
      const isEnd = Math.abs(until - bench.now() - LONG) < SLACK;
      expect(isEnd, `the lease ends at ${until}, which is not ${LONG} ms from now`);
    }
  },

  'gives a key to exactly one of 100 who claim it at once': async ({ ledger }) => {
    const claims = Array.from({ length: 100 }, () => ledger.claim(KEY, { lease: LONG }));
    const said = await Promise.all(claims);

    expectOne(
      said.map(({ state }) => state),
      ['held'],
    );
    for (const { state } of said) expect(state === 'held' || state === 'busy', `one got ${state}`);
  },

  'gives every attempt a name of its own': async (bench) => {
    const first = await bench.claim();
    await bench.ledger.release(first);
    const second = await bench.claim();
    const other = expectState(
      await bench.ledger.claim({ ...KEY, slot: 'call:1' }, { lease: LONG }),
      'held',
    );

    const attempts = new Set([first.attempt, second.attempt, other.claim.attempt]);
    expect(attempts.size === 3, 'two attempts have the same name');
  },

  'is in doubt about a claim whose lease ran out, and never gives it to anybody': async (bench) => {
    const { attempt } = await bench.lapsed();

    for (let tries = 0; tries < 3; tries++) {
      const said = await bench.ledger.claim(KEY, { lease: LONG });
      const { claim, reason, since } = expectState(said, 'doubt');
      expect(claim.attempt === attempt, 'the doubt is about another attempt');
      expect(reason !== '', 'the doubt has no reason');
      expect(Math.abs(since - bench.now()) < SLACK + LONG * tries, `the doubt is since ${since}`);
      await bench.pass(bench.movesTime ? LONG : SHORT);
    }
    await bench.expectEntry('doubt');
    expectState(await bench.ledger.record(KEY, { outcome: 'denied' }), 'doubt');
  },

  'keeps a claim busy for as long as its owner extends it': async (bench) => {
    const { ledger } = bench;
    const { claim } = expectState(await ledger.claim(KEY, { lease: SHORT }), 'held');

    for (let beats = 0; beats < 3; beats++) {
      expect((await ledger.extend(claim, LONG)) === 'extended', 'the owner could not extend');
      await bench.pass(bench.movesTime ? LONG - 1 : SHORT * 1.5);
      expectState(await ledger.claim(KEY, { lease: LONG }), 'busy');
    }
  },

  'ends a lease where the owner has last set it': async (bench) => {
    const claim = await bench.claim();

    expect((await bench.ledger.extend(claim, SHORT)) === 'extended', 'the owner could not extend');
    await bench.pass(SHORT * 1.5);

    await bench.expectEntry('doubt');
  },

  'lets an owner take up a lease again that ran out': async (bench) => {
    const claim = await bench.lapsed();

    expect((await bench.ledger.extend(claim, LONG)) === 'extended', 'the owner could not extend');

    await bench.expectEntry('busy');
    expectState(await bench.ledger.claim(KEY, { lease: LONG }), 'busy');
  },

  'extends nothing that is no longer a claim': async (bench) => {
    const { ledger } = bench;
    const lost = async (claim: Parameters<typeof ledger.extend>[0]) =>
      expect((await ledger.extend(claim, LONG)) === 'lost', 'somebody extended it');

    const released = await bench.claim();
    await ledger.release(released);
    await lost(released);
    await bench.expectFree();

    const superseded = await bench.superseded();
    await lost(superseded);
    await bench.expectFree();

    const doubted = await bench.doubted();
    await lost(superseded);
    await lost(doubted);
    await bench.expectEntry('doubt');

    await ledger.settle(doubted, 'done');
    await lost(doubted);
    await bench.expectOutcome('done');
  },

  'frees what is released': async (bench) => {
    const claim = await bench.claim('digest-1');

    await bench.ledger.release(claim);
    await bench.expectFree();
    await bench.claim('digest-2');
    // The attempt is over: it has no say in the one after it.
    await bench.ledger.release(claim);

    await bench.expectEntry('busy');
  },

  'frees what is released after the lease ran out': async (bench) => {
    await bench.ledger.release(await bench.lapsed());

    await bench.expectFree();
  },

  'frees nothing that was settled, doubted or resolved': async (bench) => {
    const { ledger } = bench;
    const superseded = await bench.superseded();
    const doubted = await bench.doubted();
    await ledger.release(superseded);
    await ledger.release(doubted);
    await bench.expectEntry('doubt');

    await ledger.settle(doubted, 'done');
    await ledger.release(doubted);
    await bench.expectOutcome('done');
  },

  'finds a conflict between two digests, in every state': async (bench) => {
    const { ledger } = bench;
    const conflicts = async () => {
      const claimed = await ledger.claim(KEY, { digest: 'digest-2', lease: LONG });
      const recorded = await ledger.record(KEY, { digest: 'digest-2', outcome: 'no' });
      for (const said of [claimed, recorded]) {
        const { digest } = expectState(said, 'conflict');
        expect(digest === 'digest-1', `the entry has the digest ${digest}`);
      }
    };

    const claim = await bench.claim('digest-1');
    await conflicts();
    expect((await bench.expectEntry('busy')).digest === 'digest-1', 'busy has another digest');

    await ledger.doubt(claim, 'timed out');
    await conflicts();
    expect((await bench.expectEntry('doubt')).digest === 'digest-1', 'doubt has another digest');

    await ledger.settle(claim, 'done');
    await conflicts();
    expect((await bench.expectEntry('settled')).digest === 'digest-1', 'it has another digest');
    await bench.expectOutcome('done');
  },

  'finds no conflict with the same digest, nor where there is none': async (bench) => {
    const { ledger } = bench;
    await bench.claim('digest-1');
    expectState(await ledger.claim(KEY, { digest: 'digest-1', lease: LONG }), 'busy');
    expectState(await ledger.claim(KEY, { lease: LONG }), 'busy');

    const other = { ...KEY, slot: 'call:1' };
    expectState(await ledger.claim(other, { lease: LONG }), 'held');
    expectState(await ledger.claim(other, { digest: 'digest-1', lease: LONG }), 'busy');
  },
};
