import { type JsonValue, type Ledger, MemoryLedger } from 'holdpoint';
import type { LedgerClaim, LedgerKey, LedgerSettled } from 'holdpoint/ledger';
import { present } from '../../../support/present.ts';
import { idOf } from './journal.ts';
import type { MakeLedger } from './play.ts';

/** The methods of a ledger that a bug replaces. */
type Bug = (real: Ledger, pause: () => Promise<void>) => Partial<Ledger>;

/** Creates a correct ledger with one bug. */
export function withBug(bug: Bug): MakeLedger {
  return (pause) => {
    const memory = new MemoryLedger();
    const real: Ledger = {
      retainedSince: () => memory.retainedSince(),
      claim: (key, options) => memory.claim(key, options),
      extend: (claim, lease) => memory.extend(claim, lease),
      release: (claim) => memory.release(claim),
      settle: (claim, outcome) => memory.settle(claim, outcome),
      doubt: (claim, reason) => memory.doubt(claim, reason),
      record: (key, entry) => memory.record(key, entry),
      resolve: (claim, resolution) => memory.resolve(claim, resolution),
      read: (key) => memory.read(key),
    };
    return { ...real, ...bug(real, pause) };
  };
}

let forged = 0;

/** Returns a claim that the ledger has no record of. */
function heldAnyway(key: LedgerKey) {
  return { state: 'held', claim: { key, attempt: `forged ${++forged}` } } as const;
}

/** Reads the key and writes the claim later, without a transaction. */
const notAtomic: Bug = (real, pause) => {
  const owners = new Map<string, LedgerClaim>();
  return {
    async claim(key, options) {
      const before = await real.read(key);
      await pause();
      const owner = owners.get(idOf(key));
      if (before === undefined && owner !== undefined) {
        await real.doubt(owner, 'It is written over.');
        await real.resolve(owner, { kind: 'run-again' });
      }
      const said = await real.claim(key, options);
      if (said.state === 'held') owners.set(idOf(key), said.claim);
      return said;
    },
  };
};

const leaseFrees: Bug = (real) => ({
  async claim(key, options) {
    const said = await real.claim(key, options);
    if (said.state !== 'doubt' || !said.reason.includes('lease')) return said;
    await real.resolve(said.claim, { kind: 'run-again' });
    return real.claim(key, options);
  },
});

/** Settles without comparing the claim with the current one. */
const settlesWithoutCompare: Bug = (real) => {
  const written = new Map<string, JsonValue>();
  const at = (key: LedgerKey): LedgerSettled | undefined =>
    written.has(idOf(key))
      ? { state: 'settled', outcome: present(written.get(idOf(key))) }
      : undefined;
  return {
    async settle({ key }, outcome) {
      written.set(idOf(key), outcome);
      return 'settled';
    },
    claim: async (key, options) => at(key) ?? real.claim(key, options),
    record: async (key, entry) => at(key) ?? real.record(key, entry),
    read: async (key) => at(key) ?? real.read(key),
  };
};

/** Claims even if the ledger rejects the claim. */
const ignored: Bug = (real) => ({
  async claim(key, options) {
    const said = await real.claim(key, options);
    return said.state === 'held' ? said : heldAnyway(key);
  },
});

const forgetsDenials: Bug = (real) => ({
  record: async (key, entry) =>
    key.slot.startsWith('call:') ? { state: 'recorded' } : real.record(key, entry),
});

const forgetsDoubts: Bug = (real) => ({ doubt: (claim) => real.release(claim) });

const losesOutcomes: Bug = (real) => ({
  async settle(claim) {
    await real.doubt(claim, 'It was lost.');
    return 'settled';
  },
});

/** Bugs, and the guarantee that each one violates. */
export const plantedBugs: Readonly<Record<string, readonly [Bug, RegExp]>> = {
  'a claim that is not atomic': [notAtomic, /^executed too often/],
  'a lease that frees': [leaseFrees, /^executed too often/],
  'a settle without compare': [settlesWithoutCompare, /^histories do not agree/],
  'a run that ignores what the ledger says': [ignored, /^executed too often/],
  'a ledger that forgets denials': [forgetsDenials, /^ran after it was denied/],
  'a ledger that forgets doubts': [forgetsDoubts, /^executed too often/],
  'a ledger that loses outcomes': [losesOutcomes, /^histories do not agree|^executed too often/],
};
