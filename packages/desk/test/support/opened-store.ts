import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore } from '@holdpoint/desk';
import { scratchRoot } from '../platform/support/scratch-folder.ts';
import { type OpenedStore, TestClock } from './test-clock.ts';

export { type OpenedStore, TestClock };

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

/** Executes the scenarios on PostgreSQL instead, where they take ten times as long. `npm run soak` does. */
const IS_ON_POSTGRES = process.env['SCENARIOS_ON'] === 'postgres';

/** The stores that scenarios execute on. */
export const STORES: readonly (readonly [string, () => Promise<OpenedStore>])[] = IS_ON_POSTGRES
  ? [['in PostgreSQL', (await import('./opened-postgres.ts')).postgresOpener()]]
  : [
      ['in SQLite in memory', openMemory],
      ['in an SQLite file', openSqlite],
    ];
