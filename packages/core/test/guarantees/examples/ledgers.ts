import type { Ledger } from 'holdpoint';

/** A clock that the test advances. It starts now, because histories contain the real time. */
export function movedClock() {
  let time = Date.now();
  return {
    now: () => time,
    pass: (ms: number) => void (time += ms),
  };
}

/** Returns a ledger with some replaced methods. */
export function ledgerWith(ledger: Ledger, other: Partial<Ledger>): Ledger {
  return {
    retainedSince: () => ledger.retainedSince(),
    claim: (...args) => ledger.claim(...args),
    extend: (...args) => ledger.extend(...args),
    release: (claim) => ledger.release(claim),
    settle: (...args) => ledger.settle(...args),
    doubt: (...args) => ledger.doubt(...args),
    record: (...args) => ledger.record(...args),
    resolve: (...args) => ledger.resolve(...args),
    read: (key) => ledger.read(key),
    ...other,
  };
}
