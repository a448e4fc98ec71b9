import type { JsonValue } from '../../internal/json.ts';
import type { LedgerKey } from '../../ledger/ledger-key.ts';
import { type Cases, expect, expectSame, expectState, TEST_KEY, LONG_LEASE } from './fixture.ts';

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
