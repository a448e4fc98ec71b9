import type { JsonValue } from '../../internal/json.ts';
import type { Ledger, LedgerKey } from '../../ledger/ledger.ts';
import {
  type Cases,
  expect,
  expectOne,
  expectSame,
  expectState,
  type Handles,
  LONG_LEASE,
  SHORT_LEASE,
  TEST_KEY,
} from './fixture.ts';

/** Texts that a store could confuse with each other or with other values. */
const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  'a',
  'A',
  'a ',
  ' a',
  'ä',
  'a\u0308',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  '0',
  '00',
  '%',
  '_',
  "'; DROP TABLE entries; --",
  '"',
  '\\',
  '../a',
  'a/b',
  'a:b',
  'a\u0000b',
  'a\nb',
  '\ud800',
  '\udfff',
  '\ufffd',
  '😀',
  'x'.repeat(1000),
  `${'x'.repeat(1000)}y`,
];

/** Returns keys that a store could confuse with each other. */
function hostileKeys(): readonly LedgerKey[] {
  const keys = HOSTILE_TEXTS.flatMap((text) => [
    { step: text, slot: 'call:0' },
    { step: 'step', slot: text },
  ]);
  for (const separator of [':', '/', '|', '\u0000', '","', '']) {
    keys.push({ step: 'a', slot: `b${separator}c` }, { step: `a${separator}b`, slot: 'c' });
  }
  return keys;
}

const STORED_OUTCOMES: readonly JsonValue[] = [
  null,
  false,
  0,
  '',
  [],
  {},
  1e21,
  -1.5e-7,
  'a\u0000b \ud800 😀 "\\',
  [1, [2, { three: [null] }]],
  // JSON can have a member `__proto__`.
  JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "": 2}'),
  { text: 'x'.repeat(100_000) },
];

/** Cases about stored keys, digests and outcomes. */
export const storageCases: Cases = {
  // A database may reject a text that it cannot store. It must not confuse it with another one.
  'distinguishes all keys, also hostile ones': async ({ ledger }) => {
    const claimed: LedgerKey[] = [];
    for (const key of hostileKeys()) {
      const result = await ledger.claim(key, { lease: LONG_LEASE }).catch(() => undefined);
      if (result === undefined) continue;
      const { claim } = expectState(result, 'held');
      expectSame([claim.key.step, claim.key.slot], [key.step, key.slot], 'the key of the claim');
      claimed.push(key);
    }

    expect(claimed.length > hostileKeys().length / 2, 'it rejects more than half of the keys');
    for (const key of claimed) expectState(await ledger.claim(key, { lease: LONG_LEASE }), 'busy');
  },

  'distinguishes all digests, also hostile ones': async ({ ledger }) => {
    for (const [index, digest] of HOSTILE_TEXTS.entries()) {
      const key = { ...TEST_KEY, slot: `call:${index}` };
      const result = await ledger.claim(key, { digest, lease: LONG_LEASE }).catch(() => undefined);
      if (result === undefined) continue;
      expectState(result, 'held');
      expectState(await ledger.claim(key, { digest, lease: LONG_LEASE }), 'busy');
      for (const other of HOSTILE_TEXTS) {
        if (other === digest) continue;
        const state = await ledger
          .claim(key, { digest: other, lease: LONG_LEASE })
          .catch(() => undefined);
        if (state !== undefined) expectState(state, 'conflict');
      }
    }
  },

  'returns outcomes unchanged': async ({ ledger }) => {
    for (const [index, outcome] of STORED_OUTCOMES.entries()) {
      const settled = { ...TEST_KEY, slot: `call:${index}` };
      const { claim } = expectState(await ledger.claim(settled, { lease: LONG_LEASE }), 'held');
      expectSame(await ledger.settle(claim, outcome), 'settled', 'settle');
      const recorded = { ...TEST_KEY, slot: `round:${index}` };
      expectState(await ledger.record(recorded, { outcome }), 'recorded');

      for (const key of [settled, recorded]) {
        expectSame(expectState(await ledger.read(key), 'settled').outcome, outcome, 'the outcome');
      }
    }
  },

  'is not affected by later changes of the arguments': async (fixture) => {
    const outcome = { list: [1] };
    const key = { ...TEST_KEY };
    const { claim } = expectState(await fixture.ledger.claim(key, { lease: LONG_LEASE }), 'held');
    key.slot = 'call:9';
    await fixture.ledger.settle(claim, outcome);
    outcome.list.push(2);

    await fixture.expectOutcome({ list: [1] });
  },

  'is not affected by changes of a returned outcome': async (fixture) => {
    await fixture.claimSettled({ list: [1] });

    const { outcome } = await fixture.expectEntry('settled');
    try {
      (outcome as { list: number[] }).list.push(2);
    } catch {
      // A frozen outcome is fine.
    }

    await fixture.expectOutcome({ list: [1] });
  },
};

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
