import type { JsonValue } from '../../internal/json.ts';
import type { LedgerKey } from '../../ledger/ledger-key.ts';
import { type Checks, expect, expectSame, expectState, KEY, LONG } from './bench.ts';

/** Texts that are easily taken for something else, or for each other. */
const HOSTILE: readonly string[] = [
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

/** Keys that are easily taken for each other. */
function hostileKeys(): readonly LedgerKey[] {
  const keys = HOSTILE.flatMap((text) => [
    { step: text, slot: 'call:0' },
    { step: 'step', slot: text },
  ]);
  for (const separator of [':', '/', '|', '\u0000', '","', '']) {
    keys.push({ step: 'a', slot: `b${separator}c` }, { step: `a${separator}b`, slot: 'c' });
  }
  return keys;
}

const OUTCOMES: readonly JsonValue[] = [
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
  // With `__proto__` as a member, as JSON from elsewhere may have it.
  JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "": 2}'),
  { text: 'x'.repeat(100_000) },
];

/** What goes in comes out: keys, digests and outcomes. */
export const storing: Checks = {
  // A database may refuse a text that it cannot hold. To take it for another one is what it must not.
  'never takes one key for another, whatever is in them': async ({ ledger }) => {
    const claimed: LedgerKey[] = [];
    for (const key of hostileKeys()) {
      const said = await ledger.claim(key, { lease: LONG }).catch(() => undefined);
      if (said === undefined) continue;
      const { claim } = expectState(said, 'held');
      expectSame([claim.key.step, claim.key.slot], [key.step, key.slot], 'the key of the claim');
      claimed.push(key);
    }

    expect(claimed.length > hostileKeys().length / 2, 'it refuses most of the keys');
    for (const key of claimed) expectState(await ledger.claim(key, { lease: LONG }), 'busy');
  },

  'never takes one digest for another, whatever is in them': async ({ ledger }) => {
    for (const [index, digest] of HOSTILE.entries()) {
      const key = { ...KEY, slot: `call:${index}` };
      const said = await ledger.claim(key, { digest, lease: LONG }).catch(() => undefined);
      if (said === undefined) continue;
      expectState(said, 'held');
      expectState(await ledger.claim(key, { digest, lease: LONG }), 'busy');
      for (const other of HOSTILE) {
        if (other === digest) continue;
        const state = await ledger
          .claim(key, { digest: other, lease: LONG })
          .catch(() => undefined);
        if (state !== undefined) expectState(state, 'conflict');
      }
    }
  },

  'gives outcomes back as they were': async ({ ledger }) => {
    for (const [index, outcome] of OUTCOMES.entries()) {
      const settled = { ...KEY, slot: `call:${index}` };
      const { claim } = expectState(await ledger.claim(settled, { lease: LONG }), 'held');
      expectSame(await ledger.settle(claim, outcome), 'settled', 'settle');
      const recorded = { ...KEY, slot: `round:${index}` };
      expectState(await ledger.record(recorded, { outcome }), 'recorded');

      for (const key of [settled, recorded]) {
        expectSame(expectState(await ledger.read(key), 'settled').outcome, outcome, 'the outcome');
      }
    }
  },

  'keeps what it was given, whatever becomes of the original': async (bench) => {
    const outcome = { list: [1] };
    const key = { ...KEY };
    const { claim } = expectState(await bench.ledger.claim(key, { lease: LONG }), 'held');
    key.slot = 'call:9';
    await bench.ledger.settle(claim, outcome);
    outcome.list.push(2);

    await bench.expectOutcome({ list: [1] });
  },

  'keeps what it has, whatever becomes of what it gave': async (bench) => {
    await bench.settled({ list: [1] });

    const { outcome } = await bench.expectEntry('settled');
    try {
      (outcome as { list: number[] }).list.push(2);
    } catch {
      // It is frozen, as it should be.
    }

    await bench.expectOutcome({ list: [1] });
  },
};
