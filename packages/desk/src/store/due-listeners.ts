import type { StoreChange } from './store-change.ts';

/** Notified of changes that were committed. */
export type ChangeListener = (change: StoreChange) => void;

/** Who wants to know that something was committed. */
export class DueListeners {
  readonly #listeners = new Set<ChangeListener>();

  add(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  notify(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
