import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError, postgresStore, type Store } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sampleRun, sampleTask } from '../../src/testing/sample-rows.ts';
import { TENANT } from '../../src/testing/store-bench.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

const LONG = 3_600_000;

let server: PostgresServer;
let url: string;
const pools: Pool[] = [];
const stores: Store[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  url = await newSchema();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const pool of pools.splice(0)) await pool.end();
});

/** Creates a database with a schema for the tables, and returns a connection string for the schema. */
async function newSchema(): Promise<string> {
  const database = await server.newDatabase();
  await newPool(database).query('create schema desk');
  return `${database}?options=${encodeURIComponent('-c search_path=desk')}`;
}

function newPool(at = url, config = {}): Pool {
  const pool = poolFor(at, config);
  pools.push(pool);
  return pool;
}

async function open(pool = newPool(), busyTimeout?: number | undefined): Promise<Store> {
  const store = await postgresStore({ pool, busyTimeout });
  stores.push(store);
  return store;
}

/** Ends all connections but this one, as a server does that is restarted. */
async function cutAll(pool: Pool): Promise<void> {
  await pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and client_port is not null',
  );
}

const codeOf = (error: unknown) => (error instanceof DeskError ? error.code : error);

describe('postgresStore', () => {
  it('creates the tables once if many processes open the store at once', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => open()));

    await opened[0]!.write((tx) => tx.runs.insert(sampleRun()));

    for (const store of opened) {
      expect(await store.read((tx) => tx.runs.get(TENANT, 'run-1'))).toBeDefined();
    }
  });

  it('repeats a transaction that was in a deadlock', async () => {
    const store = await open();
    await store.write(async (tx) => {
      for (const id of ['a', 'b']) await tx.runs.insert(sampleRun({ id }));
    });
    let attempts = 0;
    let waiting = 0;
    let bothWait = () => {};
    const together = new Promise<void>((resolve) => {
      bothWait = resolve;
    });
    const both = (first: string, second: string) =>
      store.write(async (tx) => {
        attempts += 1;
        for (const id of [first, second]) {
          const run = await tx.runs.lock(TENANT, id);
          waiting += 1;
          if (waiting >= 2) bothWait();
          await together;
          await tx.runs.put({ ...run!, parks: run!.parks + 1 });
        }
      });

    await Promise.all([both('a', 'b'), both('b', 'a')]);

    expect(attempts).toBeGreaterThan(2);
    for (const id of ['a', 'b']) {
      expect((await store.read((tx) => tx.runs.get(TENANT, id)))?.parks).toBe(2);
    }
  });

  it('rejects a transaction whose connection was lost, rolls it back, and continues on another one', async () => {
    const store = await open();
    const admin = newPool();

    const lost = await store
      .write(async (tx) => {
        await tx.runs.insert(sampleRun());
        await cutAll(admin);
        await tx.runs.insert(sampleRun({ id: 'run-2' }));
      })
      .catch((error: unknown) => error);

    expect(codeOf(lost)).toBe('store-unreachable');
    expect(String(lost)).toMatch(/so nothing was changed: .+\. Try again\.$/);
    const { items } = await store.read((tx) => tx.runs.list(TENANT, {}));
    expect(items).toEqual([]);
  });

  it('rejects a transaction whose commit was not confirmed with an unknown outcome', async () => {
    await using proxy = await new CuttingProxy(server.port).open();
    const store = await open(newPool(url.replace(`:${server.port}/`, `:${proxy.port}/`)));
    proxy.text = 'commit\0';

    const lost = await store
      .write((tx) => tx.runs.insert(sampleRun()))
      .catch((error: unknown) => error);

    proxy.text = undefined;
    expect(codeOf(lost)).toBe('outcome-unknown');
    await expect
      .poll(() => store.read((tx) => tx.runs.get(TENANT, 'run-1')))
      .toMatchObject({ id: 'run-1' });
  });

  it('rejects transactions while the server is stopped, and accepts them after its restart', async () => {
    const store = await open();
    await server.stop();

    const said = await store.read((tx) => tx.now()).catch((error: unknown) => error);
    await server.restart();

    expect(codeOf(said)).toBe('store-unreachable');
    expect(String(said)).toMatch(/Cannot connect to the database.*ECONNREFUSED/);
    expect(await store.read((tx) => tx.now())).toBeGreaterThan(0);
  });

  it('notifies other processes, also after the listening connection was lost', async () => {
    const [listening, writing, admin] = [await open(), await open(), newPool()];
    let count = 0;
    listening.onDue(() => {
      count += 1;
    });
    const wake = async (id: string) => {
      const before = count;
      await writing.write((tx) => tx.tasks.insert(sampleTask({ id })));
      await sleep(100);
      return count > before;
    };

    await expect.poll(() => wake(`a${Math.random()}`), { timeout: 5_000 }).toBe(true);
    await cutAll(admin);
    await expect.poll(() => wake(`b${Math.random()}`), { timeout: 5_000 }).toBe(true);
  });

  it('waits for a lock up to `busyTimeout`, and ends a transaction that is idle for longer', async () => {
    const [slow, other] = [await open(newPool(), 200), await open(newPool(), 100)];
    await slow.write((tx) => tx.runs.insert(sampleRun()));
    let isLocked = () => {};
    const locked = new Promise<void>((resolve) => {
      isLocked = resolve;
    });
    const standing = slow
      .write(async (tx) => {
        await tx.runs.lock(TENANT, 'run-1');
        isLocked();
        await sleep(500);
        await tx.runs.put(sampleRun({ state: 'running' }));
      })
      .catch((error: unknown) => error);
    await locked;

    const said = await other
      .write((tx) => tx.runs.lock(TENANT, 'run-1'))
      .catch((error: unknown) => error);

    expect(codeOf(said)).toBe('store-busy');
    expect(codeOf(await standing)).toBe('store-unreachable');
    expect((await other.write((tx) => tx.runs.lock(TENANT, 'run-1')))?.state).toBe('ready');
  });

  it('writes to disk before it acknowledges, also if `synchronous_commit` is off in the database', async () => {
    const pool = newPool(`${url}${encodeURIComponent(' -c synchronous_commit=off')}`);
    const store = await open(pool);
    await pool.query('create table seen (setting text)');
    await pool.query(`create function note() returns trigger language plpgsql as $$ begin
      insert into seen values (current_setting('synchronous_commit')); return new; end $$`);
    await pool.query(
      'create trigger note before insert on desk_runs for each row execute function note()',
    );

    await store.write((tx) => tx.runs.insert(sampleRun()));

    expect((await pool.query('show synchronous_commit')).rows[0].synchronous_commit).toBe('off');
    expect((await pool.query('select setting from seen')).rows).toEqual([{ setting: 'on' }]);
  });

  it('executes prepared statements after a table was changed', async () => {
    const store = await open();
    const look = () => store.read((tx) => tx.runs.get(TENANT, 'run-1'));
    await store.write((tx) => tx.runs.insert(sampleRun()));
    await look();
    await newPool().query('alter table desk_runs add column later text');

    expect(await look()).toMatchObject({ id: 'run-1' });
  });

  it('claims due tasks by an index, if many tasks are due later', async () => {
    const pool = newPool();
    const store = await open(pool);
    await pool.query(
      `insert into desk_tasks (tenant, kind, id, due, fence, attempts) select 'tenant', 'expiry', i::text, ${Date.now() + LONG} + i, 0, 0
        from generate_series(1, 20000) as i`,
    );
    await pool.query('analyze desk_tasks');
    const read = async () => {
      // PostgreSQL updates its statistics a little later.
      await pool.query('select pg_stat_force_next_flush()');
      const { rows } = await pool.query(
        `select idx_tup_read::int as read from pg_stat_user_indexes
          where indexrelname = 'desk_tasks_due' and schemaname = current_schema()`,
      );
      return rows[0].read;
    };
    const before = await read();

    const claim = await store.write((tx) => tx.tasks.claim(['expiry'], LONG));

    expect(claim).toBeUndefined();
    expect((await read()) - before).toBeLessThan(100);
  });

  it('rejects a value that PostgreSQL cannot store as a mistake of the caller', async () => {
    const store = await open();

    const said = await store.read((tx) => tx.runs.get(TENANT, 'a\0b')).catch((error) => error);

    expect(said).toBeInstanceOf(UserError);
  });

  it('stores facts as jsonb, documents as json and booleans as boolean', async () => {
    const pool = newPool();
    await open(pool);

    const { rows } = await pool.query(
      `select column_name as name, data_type as type from information_schema.columns
        where table_schema = current_schema() and table_name = 'desk_holds'`,
    );

    const types = Object.fromEntries(rows.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({
      votes: 'jsonb',
      approvers: 'jsonb',
      args: 'json',
      schema: 'json',
      drifted: 'boolean',
      created_at: 'bigint',
    });
  });

  it('rejects to open after `busyTimeout` while another process migrates', async () => {
    const admin = await newPool().connect();
    await admin.query('select pg_advisory_lock(4716501923)');

    const opening = postgresStore({ pool: newPool(), busyTimeout: 100 });

    await expect(opening).rejects.toMatchObject({ code: 'store-busy' });
    admin.release(true);
  });

  it('requires two connections, because one of them listens', async () => {
    await expect(postgresStore({ pool: newPool(url, { max: 1 }) })).rejects.toThrow(
      /Set `max` to at least 2/,
    );
  });
});
