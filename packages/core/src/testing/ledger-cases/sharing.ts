import type { Ledger } from '../../ledger/ledger.ts';
import {
  type Checks,
  expectOne,
  expectSame,
  expectState,
  type Handles,
  KEY,
  LONG,
  SHORT,
} from './bench.ts';

const HANDLES = 4;

/** A handle for any number: after the last one the first is next. */
function inTurn(handles: Handles, index: number): Ledger {
  return handles[index % handles.length] ?? handles[0];
}

/** What holds among all who share a ledger. */
export const sharing: Checks = {
  'gives a key to exactly one of 100 who claim it at once through several handles': async (
    bench,
  ) => {
    const handles = await bench.handles(HANDLES);
    for (let call = 0; call < 5; call++) {
      const key = { ...KEY, slot: `call:${call}` };
      const claims = Array.from({ length: 100 }, (_, index) =>
        inTurn(handles, index).claim(key, { lease: LONG }),
      );

      expectOne(
        (await Promise.all(claims)).map(({ state }) => state),
        ['held'],
      );
    }
  },

  'takes exactly one of many claims and records through several handles': async (bench) => {
    const handles = await bench.handles(HANDLES);
    const all = Array.from({ length: 100 }, (_, index) => {
      const ledger = inTurn(handles, index);
      return index % 8 < 4
        ? ledger.claim(KEY, { lease: LONG })
        : ledger.record(KEY, { outcome: index });
    });

    expectOne(
      (await Promise.all<{ readonly state: string }>(all)).map(({ state }) => state),
      ['held', 'recorded'],
    );
  },

  'takes exactly one decision about a doubt through several handles': async (bench) => {
    const handles = await bench.handles(HANDLES);
    const claim = await bench.lapsed();

    const ends = await Promise.all([
      ...handles.map((ledger) => ledger.resolve(claim, { kind: 'run-again' })),
      ...handles.map((ledger) => ledger.resolve(claim, { kind: 'outcome', outcome: 'found' })),
      bench.ledger.settle(claim, 'late'),
    ]);

    expectOne(ends, ['resolved', 'settled']);
  },

  'shows through every handle what was done through another': async (bench) => {
    const [first, ...others] = await bench.handles(HANDLES);
    const { claim } = expectState(
      await first.claim(KEY, { digest: 'digest-1', lease: LONG }),
      'held',
    );
    for (const other of others) {
      expectState(await other.read(KEY), 'busy');
      expectState(await other.claim(KEY, { digest: 'digest-2', lease: LONG }), 'conflict');
    }

    expectSame(await (others.at(-1) ?? first).settle(claim, { done: true }), 'settled', 'settle');

    for (const other of others) {
      const { outcome } = expectState(await other.claim(KEY, { lease: LONG }), 'settled');
      expectSame(outcome, { done: true }, 'the outcome');
    }
  },

  'is in doubt through every handle when a lease ran out': async (bench) => {
    const [first, ...others] = await bench.handles(HANDLES);
    expectState(await first.claim(KEY, { lease: SHORT }), 'held');

    await bench.pass(SHORT * 1.5);

    for (const other of others) expectState(await other.claim(KEY, { lease: LONG }), 'doubt');
  },

  'knows as far back through a handle that is opened later': async (bench) => {
    const since = await bench.ledger.retainedSince();
    await bench.pass(SHORT);

    for (const other of await bench.handles(HANDLES)) {
      expectSame(await other.retainedSince(), since, 'the time since when it knows');
    }
  },
};
