import { setTimeout as sleep } from 'node:timers/promises';
import { openDesk, postgresStore, type PostgresStoreOptions, type Store } from '@holdpoint/desk';
import type { Pool, PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';
import { TransactionPooler } from './support/transaction-pooler.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Opened extends AsyncDisposable {
  readonly store: Store;
  readonly desk: ReturnType<typeof openTeller>;
  readonly pool: Pool;
  /** A connection without a pooler, for locks. */
  readonly admin: PoolClient;
}

function openTeller(store: Store) {
  return openDesk({
    store,
    agents: { teller: { agent: teller, deps: () => newBank() } },
    lease: 1_000,
    onError: () => {},
  });
}

type Limits = Pick<PostgresStoreOptions, 'busyTimeout' | 'statementTimeout'>;

/** Opens a desk with limits, directly or through a pooler in transaction mode. */
async function open(limits: Limits, isPooled: boolean): Promise<Opened> {
  const direct = await server.newDatabase();
  const options = { target: server.port, max: 2, tracksStatements: true };
  const pooler = isPooled ? await new TransactionPooler(options).open() : undefined;
  const url = new URL(direct);
  if (pooler !== undefined) url.port = String(pooler.port);
  const [pool, adminPool] = [poolFor(url.href, { max: 4 }), poolFor(direct)];
  // Migrations have no limit for a statement.
  await (await postgresStore({ pool: adminPool })).close();
  const store = await postgresStore({ pool, migrate: false, ...limits });
  const admin = await adminPool.connect();
  return {
    store,
    desk: openTeller(store),
    pool,
    admin,
    async [Symbol.asyncDispose]() {
      admin.release(true);
      await store.close();
      await pool.end();
      await adminPool.end();
      await pooler?.[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ['directly', false],
  ['through a pooler in transaction mode', true],
])('a store in PostgreSQL, connected %s', (_, isPooled) => {
  it('waits for a lock up to `busyTimeout`, also in a transaction of one statement', async () => {
    await using opened = await open({ busyTimeout: 1_500 }, isPooled);
    const { desk, admin } = opened;
    const runId = await desk.start('teller', 'pay ada');
    await desk.work({ runId });
    const [hold] = (await desk.holds({ runId })).items;
    const { id = '', digest = '' } = hold ?? {};
    const decide = () => desk.decide(id, { kind: 'approve' }, { by: { id: 'kim' }, digest });
    await admin.query('begin');
    await admin.query('select 1 from desk_runs where id = $1 for update', [runId]);

    await expect(decide()).rejects.toMatchObject({
      code: 'store-busy',
      message: expect.stringContaining('held a lock for too long, so nothing was changed'),
    });
    await admin.query('rollback');
    expect((await desk.hold(id)).state).toBe('open');
    await decide();
    expect((await desk.hold(id)).state).toBe('decided');
  });

  it('ends a statement after `statementTimeout`', async () => {
    await using opened = await open({ statementTimeout: 1_000 }, isPooled);
    const { store, admin } = opened;
    await admin.query('begin');
    await admin.query('lock table desk_runs in access exclusive mode');

    await expect(store.read((tx) => tx.runs.list('default', {}))).rejects.toMatchObject({
      code: 'store-busy',
      message: expect.stringContaining('`statementTimeout`'),
    });
    await admin.query('rollback');
    expect((await store.read((tx) => tx.runs.list('default', {}))).items).toEqual([]);
  });

  it('closes a connection whose transaction of one statement gets no response', async () => {
    await using opened = await open({ statementTimeout: 1_000 }, isPooled);
    const { desk, admin } = opened;
    const runId = await desk.start('teller', 'pay ada');
    await admin.query('begin');
    await admin.query('lock table desk_tasks in access exclusive mode');

    await expect(desk.work({ runId })).rejects.toMatchObject({ code: 'outcome-unknown' });
    await admin.query('rollback');
    // The claim may have been committed after the desk gave up; then its lease ends first.
    await expect
      .poll(async () => (await desk.work({ runId })).state, { timeout: 30_000 })
      .toBe('parked');
  });

  it('changes no setting of the connection', async () => {
    await using opened = await open({ statementTimeout: 5_000, busyTimeout: 5_000 }, isPooled);
    const { desk, pool } = opened;
    const runId = await desk.start('teller', 'pay ada');
    await desk.work({ runId });

    for (const name of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      expect((await pool.query(`show ${name}`)).rows).toEqual([{ [name]: '0' }]);
  });
});

describe('limits of a store in PostgreSQL', () => {
  it.each<[Limits, string]>([
    [{ statementTimeout: 0 }, '`statementTimeout` is `0`. Pass a number of milliseconds above 0.'],
    [{ busyTimeout: -1 }, '`busyTimeout` is `-1`. Pass a number of milliseconds above 0.'],
  ])('are validated: %o', async (limits, message) => {
    const pool = poolFor(await server.newDatabase());
    await expect(postgresStore({ pool, ...limits })).rejects.toThrow(message);
    await pool.end();
  });

  it('do not end a migration, whatever the settings of the role are', async () => {
    const url = await server.newDatabase();
    const [pool, admin] = [poolFor(url, { statement_timeout: 300 }), poolFor(url, { max: 1 })];
    // Another process migrates for longer than the limit of the role.
    await admin.query('select pg_advisory_lock(4716501923)');
    const opening = postgresStore({ pool });
    await sleep(900);
    await admin.query('select pg_advisory_unlock(4716501923)');

    await (await opening).close();
    await pool.end();
    await admin.end();
  });
});
