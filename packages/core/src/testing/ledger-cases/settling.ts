import { type Checks, expectOne, expectSame, expectState, KEY, LONG, STRANGER } from './bench.ts';

/** Outcomes of claims. */
export const settling: Checks = {
  'gives the outcome of a settled claim to everybody': async (bench) => {
    const { ledger } = bench;
    await bench.settled({ value: 1 });

    const claimed = expectState(await ledger.claim(KEY, { lease: LONG }), 'settled');
    const recorded = expectState(await ledger.record(KEY, { outcome: 'no' }), 'settled');

    expectSame(claimed.outcome, { value: 1 }, 'the outcome for a claim');
    expectSame(recorded.outcome, { value: 1 }, 'the outcome for a record');
    await bench.expectOutcome({ value: 1 });
  },

  'settles an attempt once and says so again': async (bench) => {
    const claim = await bench.settled('first');

    expectSame(await bench.ledger.settle(claim, 'first'), 'settled', 'the same again');
    expectSame(await bench.ledger.settle(claim, 'second'), 'settled', 'another outcome');

    await bench.expectOutcome('first');
  },

  'settles after the lease ran out': async (bench) => {
    const claim = await bench.lapsed();
    await bench.expectEntry('doubt');

    expectSame(await bench.ledger.settle(claim, 'late'), 'settled', 'settle');

    await bench.expectOutcome('late');
  },

  'settles what its owner doubted, now that it knows': async (bench) => {
    const claim = await bench.doubted();

    expectSame(await bench.ledger.settle(claim, 'late'), 'settled', 'settle');

    await bench.expectOutcome('late');
  },

  'settles nothing for an attempt after which the call was to run again': async (bench) => {
    const { ledger } = bench;
    const superseded = await bench.superseded();

    expectSame(await ledger.settle(superseded, 'old'), 'lost', 'settle of a free key');
    await bench.expectFree();

    const claim = await bench.claim();
    expectSame(await ledger.settle(superseded, 'old'), 'lost', "settle of another's claim");
    await bench.expectEntry('busy');

    await ledger.doubt(claim, 'timed out');
    expectSame(await ledger.settle(superseded, 'old'), 'lost', "settle of another's doubt");
    await bench.expectEntry('doubt');

    expectSame(await ledger.settle(claim, 'new'), 'settled', 'settle by the owner');
    expectSame(await ledger.settle(superseded, 'old'), 'lost', "settle of another's outcome");
    await bench.expectOutcome('new');
  },

  'settles nothing that somebody has given its outcome': async (bench) => {
    const claim = await bench.lapsed();
    await bench.ledger.resolve(claim, { kind: 'outcome', outcome: 'found out' });

    expectSame(await bench.ledger.settle(claim, 'late'), 'lost', 'settle');

    await bench.expectOutcome('found out');
  },

  'settles nothing that was released, recorded or never claimed': async (bench) => {
    const { ledger } = bench;
    expectSame(await ledger.settle(STRANGER, 'x'), 'lost', 'settle of a free key');

    const released = await bench.claim();
    await ledger.release(released);
    expectSame(await ledger.settle(released, 'x'), 'lost', 'settle of a released claim');
    await bench.expectFree();

    await ledger.record(KEY, { outcome: 'denied' });
    expectSame(await ledger.settle(released, 'x'), 'lost', 'settle of a record');
    expectSame(await ledger.settle(STRANGER, 'x'), 'lost', "a stranger's settle of a record");
    await bench.expectOutcome('denied');
  },

  'lets a late owner or somebody who resolves win, and not both': async (bench) => {
    const claim = await bench.lapsed();

    const [settled, resolved] = await Promise.all([
      bench.ledger.settle(claim, 'late'),
      bench.ledger.resolve(claim, { kind: 'outcome', outcome: 'found out' }),
    ]);

    expectOne([settled, resolved], ['settled', 'resolved']);
    await bench.expectOutcome(settled === 'settled' ? 'late' : 'found out');
  },
};
