import assert from 'node:assert/strict';
import type { Page } from '../model/page.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { RunWriter } from '../transitions/run-writer.ts';
import type { OpenedStore } from './opened-store.ts';

/** Checks of a store, each by a sentence without its subject. A check throws if the store fails it. */
export type StoreChecks = Readonly<Record<string, (bench: StoreBench) => Promise<void>>>;

/** The tenant of the rows that the suite writes. */
export const TENANT = 'tenant-1';

/** A lease that a case can wait for, in milliseconds. */
export const SHORT = 50;

/** A lease that does not expire during a case. */
export const LONG = 3_600_000;

/** The stores of one case. */
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

  /** Reads the clock of the store. */
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

  /** Returns `count` stores over the same rows: the first one, and others if the suite can open them. */
  async handles(count: number): Promise<readonly Store[]> {
    while (this.#openAnother !== undefined && this.#others.length + 1 < count) {
      this.#others.push(await this.#openAnother(this.#first));
    }
    const stores = [this.store, ...this.#others.map((other) => other.store)];
    // `stores` has at least one element.
    return Array.from({ length: count }, (_, index) => stores[index % stores.length]!);
  }

  async close(): Promise<void> {
    for (const { close } of [...this.#others.toReversed(), this.#first]) await close();
  }
}

/** Asserts that the condition holds for exactly one item. */
export function expectOne<Item>(items: readonly Item[], isIt: (item: Item) => boolean): void {
  assert.equal(items.filter(isIt).length, 1);
}

/** Returns the ids of rows. */
export function idList(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

/** Lists all pages, and returns the ids of their rows. */
export async function idsOfPages(
  list: (after: string | undefined) => Promise<Page<{ readonly id: string }>>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let page = await list(undefined); ; page = await list(page.next)) {
    ids.push(...idList(page.items));
    if (page.next === undefined) return ids;
  }
}

const writers = new WeakMap<TaskClaim, RunWriter>();

/** Returns the writer of a claimed run: the same one for every change of a claim. */
export function writerOf(store: Store, claim: TaskClaim): RunWriter {
  const writer = writers.get(claim) ?? new RunWriter(store, claim);
  writers.set(claim, writer);
  return writer;
}
