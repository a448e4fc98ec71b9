import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { poolFor, PostgresServer } from './postgres-server.ts';

/** A database on PostgreSQL that is new in every test. */
export interface FreshDatabase {
  readonly url: string;
  /** Opens a pool, which is closed after the test. */
  newPool(): Pool;
  /** Adds a function that is called after the test, before the pools are closed; those added last come first. */
  onClose(close: () => Promise<unknown>): void;
}

/** Registers the hooks of a file whose tests need a new database each. */
export function useFreshDatabase(): FreshDatabase {
  let server: PostgresServer;
  let url = '';
  const pools: Pool[] = [];
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    url = await server.newDatabase();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    for (const pool of pools.splice(0)) await pool.end();
  });

  return {
    get url() {
      return url;
    },
    newPool() {
      const pool = poolFor(url, {});
      pools.push(pool);
      return pool;
    },
    onClose(close) {
      closing.push(close);
    },
  };
}
