import { postgresStore } from '@holdpoint/desk';
import { describeStore, type OpenedStore } from '@holdpoint/desk/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const urls = new WeakMap<OpenedStore, string>();

async function openAt(url: string): Promise<OpenedStore> {
  const pool = poolFor(url);
  const store = await postgresStore({ pool });
  return {
    store,
    async close() {
      await store.close();
      await pool.end();
    },
  };
}

async function open(): Promise<OpenedStore> {
  const url = await server.newDatabase();
  const opened = await openAt(url);
  urls.set(opened, url);
  return opened;
}

describeStore(
  'the PostgreSQL store',
  { open, openAnother: (first) => openAt(String(urls.get(first))) },
  { describe, it },
);
