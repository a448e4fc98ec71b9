import type { LedgerClock } from 'holdpoint/testing';
import type { Store } from '../store/store.ts';

/** A store that was opened for one case of a suite. */
export interface OpenedStore {
  readonly store: Store;
  /** The clock that the store goes by, where a test can move it; else cases wait. */
  readonly clock?: LedgerClock | undefined;
  /** Called when the case is over; it closes the store. */
  readonly close: () => void | Promise<void>;
}
