import type { JsonValue } from '../../src/internal/json.ts';
import type { Ledger, LedgerClaim, LedgerKey, LedgerSettled } from '../../src/ledger/ledger.ts';
import { MemoryLedger } from '../../src/ledger/memory-ledger.ts';
import type { LedgerSuite } from '../../src/testing/describe-ledger.ts';
import { present } from '../support/present.ts';

/** The methods of a ledger that a bug replaces. */
export type Bug = (real: Ledger, notes: Notes) => Partial<Ledger>;

/** The state of a bug. */
interface Notes {
  /** Returns the last claim of a key, or a claim that does not exist. */
  ownerOf(key: LedgerKey): LedgerClaim;
  /** Overwrites the entry with an outcome. */
  overwrite(key: LedgerKey, outcome: JsonValue): void;
}

/** Returns a suite for ledgers with this bug. Instances that share a ledger have separate bug state. */
export function suiteWith(bug: Bug): LedgerSuite {
  const open = (retention?: number) => {
    let time = Date.UTC(2026, 0, 1);
    const clock = { now: () => time, advance: (ms: number) => void (time += ms) };
    return { ledger: buggy(new MemoryLedger({ now: clock.now, retention }), bug), clock };
  };
  return {
    open: () => open(),
    openAnother: ({ ledger }) => ({ ledger: buggy(present(originals.get(ledger)), bug) }),
    openForgetful: open,
  };
}

/** The correct ledgers behind the ledgers with bugs. */
const originals = new WeakMap<Ledger, Ledger>();

function buggy(real: Ledger, bug: Bug): Ledger {
  const owners = new Map<string, LedgerClaim>();
  const written = new Map<string, JsonValue>();
  const idOf = ({ step, slot }: LedgerKey) => JSON.stringify([step, slot]);
  const writtenAt = (key: LedgerKey): LedgerSettled | undefined =>
    written.has(idOf(key))
      ? { state: 'settled', outcome: present(written.get(idOf(key))) }
      : undefined;
  const plain: Ledger = {
    retainedSince: () => real.retainedSince(),
    async claim(key, options) {
      const said = writtenAt(key) ?? (await real.claim(key, options));
      if (said.state === 'held') owners.set(idOf(key), said.claim);
      return said;
    },
    extend: (claim, lease) => real.extend(claim, lease),
    release: (claim) => real.release(claim),
    settle: (claim, outcome) => real.settle(claim, outcome),
    doubt: (claim, reason) => real.doubt(claim, reason),
    record: async (key, entry) => writtenAt(key) ?? real.record(key, entry),
    resolve: (claim, resolution) => real.resolve(claim, resolution),
    read: async (key) => writtenAt(key) ?? real.read(key),
  };
  const notes: Notes = {
    ownerOf: (key) => owners.get(idOf(key)) ?? { key, attempt: '' },
    overwrite: (key, outcome) => void written.set(idOf(key), outcome),
  };
  const ledger = { ...plain, ...bug(plain, notes) };
  originals.set(ledger, real);
  return ledger;
}
