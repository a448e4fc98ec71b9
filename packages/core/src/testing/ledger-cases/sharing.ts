import type { Ledger } from '../../ledger/ledger.ts';
import {
  type Cases,
  expectOne,
  expectSame,
  expectState,
  type Handles,
  TEST_KEY,
  LONG_LEASE,
  SHORT_LEASE,
} from './fixture.ts';

const HANDLE_COUNT = 4;

/** Returns the handle for a caller, in rotation. */
function handleFor(handles: Handles, index: number): Ledger {
  return handles[index % handles.length] ?? handles[0];
}

/** Cases about several handles with the same entries. */
export const sharingCases: Cases = {
  'lets exactly one of 100 concurrent callers claim a key through several handles': async (
    fixture,
  ) => {
    const handles = await fixture.handles(HANDLE_COUNT);
    for (let call = 0; call < 5; call++) {
      const key = { ...TEST_KEY, slot: `call:${call}` };
      const claims = Array.from({ length: 100 }, (_, index) =>
        handleFor(handles, index).claim(key, { lease: LONG_LEASE }),
      );

      expectOne(
        (await Promise.all(claims)).map(({ state }) => state),
        ['held'],
      );
    }
  },

  'accepts exactly one of many claims and records through several handles': async (fixture) => {
    const handles = await fixture.handles(HANDLE_COUNT);
    const all = Array.from({ length: 100 }, (_, index) => {
      const ledger = handleFor(handles, index);
      return index % 8 < 4
        ? ledger.claim(TEST_KEY, { lease: LONG_LEASE })
        : ledger.record(TEST_KEY, { outcome: index });
    });

    expectOne(
      (await Promise.all<{ readonly state: string }>(all)).map(({ state }) => state),
      ['held', 'recorded'],
    );
  },

  'accepts exactly one resolution of a doubt through several handles': async (fixture) => {
    const handles = await fixture.handles(HANDLE_COUNT);
    const claim = await fixture.claimExpired();

    const ends = await Promise.all([
      ...handles.map((ledger) => ledger.resolve(claim, { kind: 'run-again' })),
      ...handles.map((ledger) => ledger.resolve(claim, { kind: 'outcome', outcome: 'found' })),
      fixture.ledger.settle(claim, 'late'),
    ]);

    expectOne(ends, ['resolved', 'settled']);
  },

  'shares changes between all handles': async (fixture) => {
    const [first, ...others] = await fixture.handles(HANDLE_COUNT);
    const { claim } = expectState(
      await first.claim(TEST_KEY, { digest: 'digest-1', lease: LONG_LEASE }),
      'held',
    );
    for (const other of others) {
      expectState(await other.read(TEST_KEY), 'busy');
      expectState(
        await other.claim(TEST_KEY, { digest: 'digest-2', lease: LONG_LEASE }),
        'conflict',
      );
    }

    expectSame(await (others.at(-1) ?? first).settle(claim, { done: true }), 'settled', 'settle');

    for (const other of others) {
      const { outcome } = expectState(
        await other.claim(TEST_KEY, { lease: LONG_LEASE }),
        'settled',
      );
      expectSame(outcome, { done: true }, 'the outcome');
    }
  },

  'reports an expired lease as in doubt through every handle': async (fixture) => {
    const [first, ...others] = await fixture.handles(HANDLE_COUNT);
    expectState(await first.claim(TEST_KEY, { lease: SHORT_LEASE }), 'held');

    await fixture.advance(SHORT_LEASE * 1.5);

    for (const other of others)
      expectState(await other.claim(TEST_KEY, { lease: LONG_LEASE }), 'doubt');
  },

  'reports the same start of its knowledge through a later handle': async (fixture) => {
    const since = await fixture.ledger.retainedSince();
    await fixture.advance(SHORT_LEASE);

    for (const other of await fixture.handles(HANDLE_COUNT)) {
      expectSame(await other.retainedSince(), since, 'the result of retainedSince');
    }
  },
};
