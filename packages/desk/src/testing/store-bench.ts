import assert from 'node:assert/strict';
import type { Store } from '../store/store.ts';
import type { OpenedStore } from './opened-store.ts';

/** What a store must do, by a sentence that says it. A check throws where it does not. */
export type StoreChecks = Readonly<Record<string, (bench: StoreBench) => Promise<void>>>;

/** Whose rows the suite writes. */
export const TENANT = 'tenant-1';

/** A lease that a case waits for, where it cannot move the time. */
export const SHORT = 50;

/** A lease that is not over before the case is. */
export const LONG = 3_600_000;

/** What a case works with. */
export class StoreBench {
  readonly store: Store;
  readonly #first: OpenedStore;
  readonly #others: OpenedStore[] = [];
  readonly #openAnother: ((first: OpenedStore) => OpenedStore | Promise<OpenedStore>) | undefined;

  constructor(
    first: OpenedStore,
    openAnother: ((first: OpenedStore) => OpenedStore | Promise<OpenedStore>) | undefined,
  ) {
    this.store = first.store;
    this.#first = first;
    this.#openAnother = openAnother;
  }

  /** The time by the clock of the store. */
  now(): Promise<number> {
    return this.store.read((tx) => tx.now());
  }

  async pass(ms: number): Promise<void> {
    const { clock } = this.#first;
    if (clock !== undefined) return clock.advance(ms);
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }

  /** So many ways to the same rows, in turn: the store itself, and others where they can be opened. */
  async handles(count: number): Promise<readonly Store[]> {
    while (this.#openAnother !== undefined && this.#others.length + 1 < count) {
      this.#others.push(await this.#openAnother(this.#first));
    }
    const stores = [this.store, ...this.#others.map((other) => other.store)];
    // There is at least one.
    return Array.from({ length: count }, (_, index) => stores[index % stores.length]!);
  }

  async close(): Promise<void> {
    for (const { close } of [...this.#others.toReversed(), this.#first]) await close();
  }
}

/** Exactly one of these must be so. */
export function expectOne<Item>(items: readonly Item[], isIt: (item: Item) => boolean): void {
  assert.equal(items.filter(isIt).length, 1);
}
