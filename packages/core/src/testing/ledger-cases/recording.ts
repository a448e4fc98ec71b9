import { type Checks, expect, expectOne, expectSame, expectState, KEY, LONG } from './bench.ts';

const DENIED = { kind: 'denied', message: 'No.' };

/** What is answered without executing. */
export const recording: Checks = {
  'keeps what is recorded, and gives it to who wants to claim': async (bench) => {
    const { ledger } = bench;
    expectState(await ledger.record(KEY, { digest: 'digest-1', outcome: DENIED }), 'recorded');

    const said = await ledger.claim(KEY, { digest: 'digest-1', lease: LONG });

    const { outcome, digest } = expectState(said, 'settled');
    expectSame(outcome, DENIED, 'the outcome');
    expect(digest === 'digest-1', 'the entry has lost its digest');
    expectState(await ledger.claim(KEY, { digest: 'digest-2', lease: LONG }), 'conflict');
  },

  'records once': async (bench) => {
    const { ledger } = bench;
    await ledger.record(KEY, { outcome: DENIED });

    const said = expectState(await ledger.record(KEY, { outcome: 'approved' }), 'settled');

    expectSame(said.outcome, DENIED, 'the outcome');
    await bench.expectOutcome(DENIED);
  },

  'records nothing over a claim, a doubt or an outcome': async (bench) => {
    const { ledger } = bench;
    const claim = await bench.claim();
    expectState(await ledger.record(KEY, { outcome: DENIED }), 'busy');
    await bench.expectEntry('busy');

    await ledger.doubt(claim, 'timed out');
    expectState(await ledger.record(KEY, { outcome: DENIED }), 'doubt');
    await bench.expectEntry('doubt');

    await ledger.settle(claim, 'done');
    expectState(await ledger.record(KEY, { outcome: DENIED }), 'settled');
    await bench.expectOutcome('done');
  },

  'takes exactly one of 50 claims and 50 records that come at once': async ({ ledger }) => {
    // Once a claim comes first, and once a record.
    for (const first of [0, 1]) {
      const key = { ...KEY, slot: `call:${first}` };
      const all = Array.from({ length: 100 }, (_, index) =>
        index % 2 === first
          ? ledger.claim(key, { lease: LONG })
          : ledger.record(key, { outcome: { index } }),
      );

      expectOne(
        (await Promise.all<{ readonly state: string }>(all)).map(({ state }) => state),
        ['held', 'recorded'],
      );
    }
  },
};
