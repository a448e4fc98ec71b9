import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { postgresFolder } from '../platform/support/new-postgres.ts';
import { poolFor, PostgresServer } from '../platform/support/postgres-server.ts';
import { type OpenedStore, TestClock } from './test-clock.ts';

/** A clock that the database reads from a file. */
class FileClock extends TestClock {
  readonly path: string;

  constructor(path: string) {
    super();
    this.path = path;
    this.#write();
  }

  override advance(ms: number): void {
    super.advance(ms);
    this.#write();
  }

  #write(): void {
    writeFileSync(this.path, String(this.now()));
  }
}

/**
 * Returns a function that opens stores in new databases of a PostgreSQL server. The server runs during the tests of
 * this file. Its `clock_timestamp` changes only when a test advances the clock.
 */
export function postgresOpener(): () => Promise<OpenedStore> {
  let server: PostgresServer;
  const folder = postgresFolder();
  let databases = 0;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  return async () => {
    const url = await server.newDatabase();
    const clock = new FileClock(join(folder, `clock-${++databases}`));
    const admin = poolFor(url, { max: 1 });
    await admin.query(`create schema held;
      create function held.clock_timestamp() returns timestamptz language sql volatile as $$
        select timestamptz 'epoch' + pg_read_file('${clock.path}')::bigint * interval '1 millisecond' $$`);
    await admin.end();
    const pool = poolFor(url, { options: '-c search_path=public,held,pg_catalog', max: 12 });
    const store = await openPostgresStore(
      { pool },
      {
        set() {},
        get now() {
          return clock.now();
        },
      },
    );
    return {
      store,
      clock,
      async [Symbol.asyncDispose]() {
        await store.close();
        await pool.end();
      },
    };
  };
}
