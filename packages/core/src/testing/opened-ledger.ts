import type { Ledger } from '../ledger/ledger.ts';

/** A ledger that was opened for one case of a suite. */
export interface OpenedLedger {
  readonly ledger: Ledger;
  /** The clock that the ledger goes by, where a test can move it, such as a `fakeClock`; else cases wait. */
  readonly clock?: LedgerClock | undefined;
  /** Called when the case is over. */
  readonly close?: (() => void | Promise<void>) | undefined;
}

/** A clock that a test can move. */
export interface LedgerClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Moves the time forward. */
  advance(ms: number): void | Promise<void>;
}
