import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@holdpoint/desk';
import { describeStore, type OpenedStore } from '@holdpoint/desk/testing';
import { describe, it } from 'vitest';
import { TestClock } from './support/opened-store.ts';

async function openMemory(): Promise<OpenedStore> {
  const clock = new TestClock();
  const store = await sqliteStore({ now: clock.now });
  return { store, clock, close: () => store.close() };
}

const paths = new WeakMap<OpenedStore, string>();

async function openSqlite(): Promise<OpenedStore> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-desk-'));
  const path = join(folder, 'desk.sqlite');
  const store = await sqliteStore({ path });
  const opened: OpenedStore = {
    store,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
  paths.set(opened, path);
  return opened;
}

async function openSqliteAgain(first: OpenedStore): Promise<OpenedStore> {
  const store = await sqliteStore({ path: String(paths.get(first)) });
  return { store, close: () => store.close() };
}

describeStore('the SQLite store in memory', { open: openMemory }, { describe, it });

describeStore(
  'the SQLite store in a file',
  { open: openSqlite, openAnother: openSqliteAgain },
  { describe, it },
);
