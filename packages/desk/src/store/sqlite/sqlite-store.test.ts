import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleHold, sampleRun, sampleTask } from '../../testing/sample-rows.ts';
import { TENANT } from '../../testing/store-bench.ts';
import type { Tx } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

describe('sqliteStore', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdpoint-desk-'));
    path = join(folder, 'desk.sqlite');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('creates the tables once if many processes open the file at once', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => sqliteStore({ path })));

    await stores[0]!.write((tx) => tx.runs.insert(sampleRun()));

    for (const store of stores) {
      expect(await store.read((tx) => tx.runs.get(TENANT, 'run-1'))).toBeDefined();
      await store.close();
    }
  });

  it('keeps its rows in a write-ahead log after it is closed and opened again', async () => {
    const first = await sqliteStore({ path });
    await first.write((tx) => tx.runs.insert(sampleRun()));
    await first.close();
    await first.close();

    const second = await sqliteStore({ path });

    expect(await second.read((tx) => tx.runs.get(TENANT, 'run-1'))).toMatchObject({ id: 'run-1' });
    await second.close();
    const database = new DatabaseSync(path);
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
  });

  it('rejects changes by a read about a run, and writes afterwards', async () => {
    const store = await sqliteStore({ path });
    const about = { tenant: TENANT, runId: 'run-1' };

    // A callback without types may write.
    const writing = store.read((tx) => (tx as Tx).runs.insert(sampleRun()), { about });
    await expect(writing).rejects.toThrow('readonly');

    expect(await store.write((tx) => tx.runs.insert(sampleRun()))).toBe(true);
    const read = await store.read((tx) => tx.runs.get(TENANT, 'run-1'), { about });
    expect(read).toMatchObject({ id: 'run-1' });
    await store.close();
  });

  it('rejects a write after another process wrote for too long, without blocking this process', async () => {
    const store = await sqliteStore({ path, busyTimeout: 150 });
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 5);

    await expect(store.write((tx) => tx.runs.insert(sampleRun()))).rejects.toMatchObject({
      code: 'store-busy',
    });
    clearInterval(turning);
    expect(await store.read((tx) => tx.runs.get(TENANT, 'run-1'))).toBeUndefined();
    other.exec('rollback');
    other.close();

    expect(turns).toBeGreaterThan(2);
    expect(await store.write((tx) => tx.runs.insert(sampleRun()))).toBe(true);
    await store.close();
  });

  it('rejects a database that a newer version has changed', async () => {
    await (await sqliteStore({ path })).close();
    const database = new DatabaseSync(path);
    database.exec("insert into desk_migrations values ('9999-future', 1)");
    database.close();

    await expect(sqliteStore({ path })).rejects.toThrow(
      'A newer version of `@holdpoint/desk` has changed the tables (9999-future). Use that version',
    );
  });

  it.each<[string, () => void]>([
    ['removed', () => rmSync(path)],
    [
      'replaced',
      () => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ])('acknowledges no write after its file was %s', async (what, change) => {
    const store = await sqliteStore({ path });
    await store.write((tx) => tx.runs.insert(sampleRun()));

    change();

    const expected = { code: 'store-unreachable', message: expect.stringContaining(what) };
    const write = store.write((tx) => tx.runs.insert(sampleRun({ id: 'run-2' })));
    await expect(write).rejects.toMatchObject(expected);
    await expect(store.read((tx) => tx.now())).rejects.toMatchObject(expected);
    await store.close();
  });

  it('does not acknowledge a transaction whose file is removed before it ends', async () => {
    const store = await sqliteStore({ path });

    const write = store.write(async (tx) => {
      await tx.runs.insert(sampleRun());
      rmSync(path);
    });

    await expect(write).rejects.toMatchObject({ code: 'store-unreachable' });
    await store.close();
  });

  it('names the file and the reason if it cannot be opened', async () => {
    const missing = join(folder, 'none', 'desk.sqlite');
    const broken = join(folder, 'broken.sqlite');
    writeFileSync(broken, 'This is not a database, but it is long enough to be one. '.repeat(20));

    await expect(sqliteStore({ path: missing })).rejects.toThrow(
      `The SQLite file \`${missing}\` cannot be opened: unable to open database file. Check that its folder exists`,
    );
    await expect(sqliteStore({ path: broken })).rejects.toThrow(
      `The SQLite file \`${broken}\` cannot be opened: file is not a database. Pass the path`,
    );
  });

  it('rejects a write in a transaction that only reads, in a file and in memory', async () => {
    for (const store of [await sqliteStore({ path }), await sqliteStore()]) {
      const write = store.read((tx) =>
        (tx as unknown as { runs: { insert(row: object): Promise<boolean> } }).runs.insert(
          sampleRun(),
        ),
      );

      await expect(write).rejects.toThrow('readonly');
      expect(await store.write((tx) => tx.runs.insert(sampleRun()))).toBe(true);
      await store.close();
    }
  });

  it('uses an index for every list and look-up', async () => {
    const store = await sqliteStore({ path });
    await store.write(async (tx) => {
      await tx.runs.insert(sampleRun());
      await tx.holds.insert(sampleHold());
      await tx.tasks.insert(sampleTask());
    });
    await store.close();
    const database = new DatabaseSync(path);
    const planOf = (sql: string) =>
      database
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
        .join('; ');

    const plans = {
      claim: planOf(
        "select tenant, kind, id from desk_tasks where kind = 'run' and due <= 1 order by due limit 1",
      ),
      live: planOf(
        "select * from desk_runs where tenant = 't' and conversation_id = 'c' and state in ('ready', 'running', 'parked', 'stuck')",
      ),
      open: planOf(
        "select * from desk_holds where tenant = 't' and state in ('open') and (created_at, run_id, call_index, id) > (1, 'r', 1, 'i') order by created_at, run_id, call_index, id limit 51",
      ),
      ofRun: planOf(
        "select * from desk_holds where tenant = 't' and run_id = 'r' and state in ('open')",
      ),
      latest: planOf(
        "select * from desk_runs where tenant = 't' and conversation_id = 'c' order by created_at desc, id desc limit 1",
      ),
      runs: planOf(
        "select * from desk_runs where tenant = 't' order by created_at desc, id desc limit 51",
      ),
      ...Object.fromEntries(
        ['tool_name', 'agent', 'requester_key', 'conversation_id'].map((column) => [
          column,
          planOf(
            `select id from desk_holds where tenant = 't' and state in ('open') and ${column} = 'x' order by created_at, run_id, call_index, id limit 51`,
          ),
        ]),
      ),
      decisions: planOf(
        "select hold_id from desk_decisions where tenant = 't' and person_key = 'ada' order by at",
      ),
      audit: planOf("select run_id from desk_audit where tenant = 't' and at > 5 order by at"),
      auditOfPerson: planOf(
        "select run_id from desk_audit where tenant = 't' and person_key = 'ada' order by at",
      ),
      givenUp: planOf(
        "select event_id from desk_deliveries where tenant = 't' and state = 'given-up' order by changed_at",
      ),
      entries: planOf("select key from desk_entries where tenant = 't' and run_id = 'r'"),
      approver: planOf(
        "select hold_id from desk_hold_approvers where tenant = 't' and kind = 'role' and name = 'lead'",
      ),
      idPrefix: planOf(
        "select id from desk_holds where tenant = 't' and id >= 'ab' and id < 'abg' order by id limit 51",
      ),
    };
    database.close();

    expect(plans.claim).toContain('desk_tasks_due');
    expect(plans.live).toContain('desk_runs_live');
    expect(plans.open).toContain('desk_holds_state');
    expect(plans.ofRun).toContain('desk_holds_run');
    expect(plans).toMatchObject({
      tool_name: expect.stringContaining('desk_holds_tool'),
      requester_key: expect.stringContaining('desk_holds_requester'),
      decisions: expect.stringContaining('desk_decisions_person'),
      givenUp: expect.stringContaining('desk_deliveries_given_up'),
    });
    for (const [name, plan] of Object.entries(plans)) {
      expect(plan, name).not.toContain('SCAN');
      expect(plan, name).not.toContain('TEMP B-TREE');
    }
  });
});
