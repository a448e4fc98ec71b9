import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultInjector } from './support/crash/fault-injector.ts';
import { readEffects } from './support/crash/journal.ts';
import { openStore, type StoreSpec } from './support/crash/store-spec.ts';
import { promptOf, tellerAgent } from './support/crash/teller.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { scratchFolder } from './support/scratch-folder.ts';

let folder: string;
let server: PostgresServer;

beforeAll(async () => {
  folder = scratchFolder('restored');
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A database with a backup. No process uses it during a copy. */
interface Copied {
  readonly spec: StoreSpec;
  backUp(): Promise<void>;
  restore(): Promise<void>;
}

async function inSqlite(): Promise<Copied> {
  const path = join(folder, 'desk.sqlite');
  return {
    spec: { kind: 'sqlite', path },
    // The backup is made while the desk runs, as the page about backups describes.
    async backUp() {
      const source = new DatabaseSync(path, { readOnly: true });
      await backup(source, `${path}.backup`);
      source.close();
    },
    restore: async () => copyFileSync(`${path}.backup`, path),
  };
}

async function inPostgres(): Promise<Copied> {
  await server.execute('create database live');
  return {
    spec: { kind: 'postgres', url: server.urlOf('live') },
    backUp: () => server.execute('create database backup template live'),
    async restore() {
      await server.execute('drop database live');
      await server.execute('create database live template backup');
    },
  };
}

async function approveAll(desk: Desk): Promise<void> {
  const { items } = await desk.holds({ limit: 500 });
  for (const { id, digest, kind } of items) {
    const decision =
      kind === 'external'
        ? ({ kind: 'result', value: 1 } as const)
        : ({ kind: 'approve' } as const);
    await desk.decide(id, decision, { by: { id: 'ada' }, digest });
  }
}

describe.each([
  ['SQLite', inSqlite],
  ['PostgreSQL', inPostgres],
] as const)('a database that was restored from a backup, in %s', (name, open) => {
  it('rejects runs that may have executed since, reports them, and executes new runs', async () => {
    const { spec, backUp, restore } = await open();
    const effects = join(folder, `effects-${name}`);
    writeFileSync(effects, '');
    const withDesk = async <Result>(work: (desk: Desk, store: Store) => Promise<Result>) => {
      await using store = await openStore(spec);
      const agent = tellerAgent(effects, new FaultInjector(undefined));
      return await work(openDesk({ store, agents: { teller: { agent } } }), store);
    };
    const [parked, ready] = await withDesk(async (desk) => {
      const first = await desk.start('teller', promptOf('1'));
      await desk.drain();
      return [first, await desk.start('teller', promptOf('2'))];
    });
    await backUp();
    // After the backup all runs finish.
    await withDesk(async (desk) => {
      await desk.drain();
      await approveAll(desk);
      await desk.drain();
      for (const id of [parked, ready]) expect((await desk.run(id)).state).toBe('finished');
    });
    const done = readEffects(effects);
    expect(done).toHaveLength(8);

    await restore();
    await withDesk(async (desk) => {
      await desk.markRestoredFromBackup();
      await approveAll(desk);
      await desk.drain();

      // One run was parked at the time of the backup, and one was ready.
      for (const id of [parked, ready]) {
        const run = await desk.run(id);
        expect(run).toMatchObject({ state: 'stuck', error: { code: 'step-forgotten' } });
        await desk.cancel(id, { by: { id: 'ada' } });
      }
      expect(readEffects(effects)).toEqual(done);
      const later = await desk.start('teller', promptOf('3'));
      await desk.drain();
      await approveAll(desk);
      await desk.drain();
      expect((await desk.run(later)).state).toBe('finished');
      expect(readEffects(effects)).toHaveLength(done.length + 4);
    });
  });
});
