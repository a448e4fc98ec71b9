import type { LedgerClock } from 'holdpoint/testing';
import type { Store } from '../store/store.ts';

/** A store that was opened for one case of a suite. */
export interface OpenedStore {
  readonly store: Store;
  /** The clock of the store, if a case can move it; otherwise cases wait. */
  readonly clock?: LedgerClock | undefined;
  /** Closes the store at the end of the case. */
  readonly close: () => void | Promise<void>;
}
