import {
  type Checks,
  expect,
  expectOne,
  expectSame,
  expectState,
  KEY,
  LONG,
  STRANGER,
} from './bench.ts';

const RUN_AGAIN = { kind: 'run-again' } as const;
const FOUND_OUT = { kind: 'outcome', outcome: { found: 'out' } } as const;

/** Doubts and how they end. */
export const doubting: Checks = {
  'says why it is in doubt, and frees nothing': async (bench) => {
    const { ledger } = bench;
    const { attempt } = await bench.doubted();

    const all = [
      await ledger.claim(KEY, { lease: LONG }),
      await ledger.record(KEY, { outcome: 'denied' }),
      await ledger.read(KEY),
    ];

    for (const said of all) {
      const { reason, claim } = expectState(said, 'doubt');
      expectSame(reason, 'timed out', 'the reason');
      expectSame(claim.attempt, attempt, 'the attempt');
    }
  },

  'keeps the first reason of a doubt': async (bench) => {
    const claim = await bench.doubted();

    await bench.ledger.doubt(claim, 'something else');

    expectSame((await bench.expectEntry('doubt')).reason, 'timed out', 'the reason');
  },

  'lets an owner give a reason after the lease ran out': async (bench) => {
    const claim = await bench.lapsed();

    await bench.ledger.doubt(claim, 'was interrupted');

    expectSame((await bench.expectEntry('doubt')).reason, 'was interrupted', 'the reason');
  },

  'doubts nothing that is no longer a claim': async (bench) => {
    const { ledger } = bench;
    await ledger.doubt(STRANGER, 'x');
    await bench.expectFree();

    const released = await bench.claim();
    await ledger.release(released);
    await ledger.doubt(released, 'x');
    await bench.expectFree();

    const superseded = await bench.superseded();
    const claim = await bench.claim();
    await ledger.doubt(superseded, 'x');
    await bench.expectEntry('busy');

    await ledger.settle(claim, 'done');
    await ledger.doubt(claim, 'x');
    await bench.expectOutcome('done');
  },

  'frees a call in doubt when somebody says that it is to run again': async (bench) => {
    const { ledger } = bench;
    const doubted = await bench.doubted('digest-1');
    expectSame(await ledger.resolve(doubted, RUN_AGAIN), 'resolved', 'resolve');
    await bench.expectFree();

    const lapsed = await bench.lapsed('digest-2');
    expectSame(await ledger.resolve(lapsed, RUN_AGAIN), 'resolved', 'resolve');
    await bench.expectFree();

    await bench.settled('done');
  },

  'settles a call in doubt when somebody says what the outcome was': async (bench) => {
    const claim = await bench.doubted('digest-1');

    expectSame(await bench.ledger.resolve(claim, FOUND_OUT), 'resolved', 'resolve');

    await bench.expectOutcome(FOUND_OUT.outcome);
    const { digest } = await bench.expectEntry('settled');
    expect(digest === 'digest-1', 'the entry has lost its digest');
    expectState(await bench.ledger.claim(KEY, { lease: LONG }), 'settled');
  },

  'resolves nothing that is not in doubt': async (bench) => {
    const { ledger } = bench;
    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(STRANGER, resolution), 'lost', 'resolve of a free key');
    }
    await bench.expectFree();

    const claim = await bench.claim();
    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(claim, resolution), 'lost', 'resolve of a busy key');
    }
    await bench.expectEntry('busy');

    await ledger.settle(claim, 'done');
    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(claim, resolution), 'lost', 'resolve of a settled key');
    }
    await bench.expectOutcome('done');
  },

  'does not take a decision about one attempt for one about a later attempt': async (bench) => {
    const { ledger } = bench;
    const first = await bench.superseded();
    const second = await bench.doubted();

    for (const resolution of [RUN_AGAIN, FOUND_OUT]) {
      expectSame(await ledger.resolve(first, resolution), 'lost', 'a stale resolve');
    }

    expectSame((await bench.expectEntry('doubt')).claim.attempt, second.attempt, 'the attempt');
  },

  'takes the decision of one of two who resolve at once': async (bench) => {
    const { ledger } = bench;
    const claim = await bench.doubted();

    const answers = Array.from({ length: 20 }, () => ledger.resolve(claim, RUN_AGAIN));
    expectOne(await Promise.all(answers), ['resolved']);

    const claims = Array.from({ length: 20 }, () => ledger.claim(KEY, { lease: LONG }));
    expectOne(
      (await Promise.all(claims)).map(({ state }) => state),
      ['held'],
    );
  },
};
