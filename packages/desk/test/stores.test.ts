import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, sqliteStore } from '@holdpoint/desk';
import { describeStore, type OpenedStore } from '@holdpoint/desk/testing';
import { describe, it } from 'vitest';
import { TestClock } from './support/opened-store.ts';

function openMemory(): OpenedStore {
  const clock = new TestClock();
  return { store: memoryStore({ now: clock.now }), clock, close() {} };
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

describeStore('the memory store', { open: openMemory }, { describe, it });

describeStore(
  'the SQLite store',
  { open: openSqlite, openAnother: openSqliteAgain },
  { describe, it },
);
