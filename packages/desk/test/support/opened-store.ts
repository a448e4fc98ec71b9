import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore, type Store } from '@holdpoint/desk';
import { scratchRoot } from '../platform/support/scratch-folder.ts';

/** A clock that a test moves. */
export class TestClock {
  #time = Date.now();
  readonly now = (): number => this.#time;

  advance(ms: number): void {
    this.#time += ms;
  }
}

/** A store of a test, and its clock. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
  readonly clock: TestClock;
}

async function openMemory(): Promise<OpenedStore> {
  const clock = new TestClock();
  const store = await sqliteStore({ now: clock.now });
  return { store, clock, [Symbol.asyncDispose]: () => store.close() };
}

async function openSqlite(): Promise<OpenedStore> {
  const clock = new TestClock();
  const folder = mkdtempSync(join(scratchRoot(), 'holdpoint-desk-'));
  const store = await sqliteStore({ path: join(folder, 'desk.sqlite'), now: clock.now });
  return {
    store,
    clock,
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The stores that scenarios execute on. */
export const STORES: readonly (readonly [string, () => Promise<OpenedStore>])[] = [
  ['in SQLite in memory', openMemory],
  ['in an SQLite file', openSqlite],
];
