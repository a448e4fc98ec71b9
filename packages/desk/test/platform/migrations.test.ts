import { openDesk, postgresMigrator, postgresStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
  await server.execute(`create role owner login password 'o'; create role app login password 'a'`);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

let schemas = 0;

/** A schema that `owner` may change, and in which `app` has no rights yet. */
async function ownedSchema(): Promise<(role: string) => string> {
  schemas += 1;
  const name = `owned_${schemas}`;
  await server.execute(`create schema ${name} authorization owner`);
  const url = `${server.urlOf('postgres')}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
  return (role) => {
    const address = new URL(url);
    address.username = role;
    address.password = role.slice(0, 1);
    return address.href;
  };
}

const MIGRATIONS = [
  '0001-first-schema',
  '0002-retention.since-0001',
  '0003-approver-order.since-0001',
  '0004-questions.since-0001',
  '0005-requests.since-0001',
  '0006-people.since-0001',
];

describe('the migrator of PostgreSQL', () => {
  it('lets a role without rights to change tables open the store and work', async () => {
    const urlOf = await ownedSchema();
    const [owner, app] = [poolFor(urlOf('owner')), poolFor(urlOf('app'))];
    const migrator = postgresMigrator({ pool: owner, appRole: 'app' });
    await expect(postgresStore({ pool: app, migrate: false })).rejects.toThrow(
      'The tables of the database are too old for this version. Missing: 0001-first-schema, ',
    );

    expect(await migrator.migrate()).toEqual(MIGRATIONS);

    // With `migrate`, too, because no migration is pending.
    for (const options of [{ migrate: false }, {}]) {
      const store = await postgresStore({ pool: app, ...options });
      const bank = newBank();
      const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
      const runId = await desk.start('teller', 'pay ada');
      await desk.work({ runId });
      const [hold] = (await desk.holds()).items;
      const { id = '', digest = '' } = hold ?? {};
      await desk.decide(id, { kind: 'approve' }, { by: { id: 'bo' }, digest });
      expect(await desk.work({ runId })).toMatchObject({ state: 'finished' });
      expect(bank.paid).toHaveLength(1);
      await desk.cancel(await desk.start('teller', 'pay bo'), { by: { id: 'bo' } });
      await desk.close();
    }
    await expect(app.query('create table other (id int)')).rejects.toThrow('permission denied');
    await expect(app.query('drop table desk_runs')).rejects.toThrow('must be owner');
    await Promise.all([owner.end(), app.end()]);
  });

  it('lists statements without executing them, and gives up when a lock is held', async () => {
    const urlOf = await ownedSchema();
    const [pool, other] = [poolFor(urlOf('owner')), poolFor(urlOf('owner'))];
    const migrator = postgresMigrator({ pool, lockTimeout: 50 });

    const statements = await migrator.pendingSql();

    expect(statements[0]).toMatch(/^create table desk_meta/);
    expect(statements.join('\n')).toMatch(/^insert into "desk_meta".*'ledger_knows_since', \d+/m);
    expect(await migrator.status()).toEqual({
      applied: [],
      pending: MIGRATIONS,
      newer: [],
    });
    const holder = await other.connect();
    await holder.query('begin; select pg_advisory_xact_lock(4716501923)');
    await expect(migrator.migrate()).rejects.toMatchObject({ code: 'store-busy' });
    await holder.query('rollback');
    holder.release();
    expect(await migrator.migrate()).toEqual(MIGRATIONS);
    expect(await migrator.migrate()).toEqual([]);
    await Promise.all([pool.end(), other.end()]);
  });

  it('lets this version work on tables that a compatible later version has changed', async () => {
    const url = await server.newDatabase();
    const pool = poolFor(url);
    await (await postgresStore({ pool })).close();
    await pool.query('alter table desk_runs add column later text');
    await pool.query(
      `insert into desk_migrations values ('9001-add-later.since-0001', now()::text)`,
    );

    const bank = newBank();
    const store = await postgresStore({ pool });
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
    const runId = await desk.start('teller', 'book ada');
    expect(await desk.work({ runId })).toMatchObject({ state: 'finished' });
    await desk.close();
    expect(await postgresMigrator({ pool }).status()).toMatchObject({
      newer: ['9001-add-later.since-0001'],
    });

    await pool.query(`insert into desk_migrations values ('9002-drop-x.since-9001', now()::text)`);
    await expect(postgresStore({ pool, migrate: false })).rejects.toThrow(
      /A newer version .* has changed the tables .*9002-drop-x/,
    );
    await pool.end();
  });
});
