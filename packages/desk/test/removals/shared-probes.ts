import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError, postgresStore, sqliteStore, type Store } from '@holdpoint/desk';
import { Client, Pool } from 'pg';
import { ClaimLostError } from '../../src/errors/claim-lost-error.ts';
import { sampleRun, sampleTask } from '../../src/testing/sample-rows.ts';
import { TENANT } from '../../src/testing/store-bench.ts';
import { GroupCommit } from '../../src/store/sqlite/group-commit.ts';
import { RunWriter } from '../../src/transitions/run-writer.ts';
import { claimTask } from '../../src/transitions/tasks.ts';
import { scratchFolder } from '../platform/support/scratch-folder.ts';
import { ABOUT, openStores, type Probe } from './probe-stores.ts';

const aboutRun = (runId: string) => ({ about: { tenant: TENANT, runId } });

/** Adds one to the number of audit entries of a run, in a transaction that may share a statement. */
function increment(store: Store, runId: string): Promise<void> {
  return store.write(async (tx) => {
    const run = await tx.runs.lock(TENANT, runId);
    if (run === undefined) throw new Error('No run.');
    await tx.runs.put({ ...run, auditCount: run.auditCount + 1 });
  }, aboutRun(runId));
}

async function countsOf(store: Store, runIds: readonly string[]): Promise<string> {
  const counts = await store.read(async (tx) => {
    const runs: unknown[] = [];
    for (const id of runIds) runs.push((await tx.runs.get(TENANT, id))?.auditCount);
    return runs;
  });
  return counts.join();
}

/** Opens stores with a second run. */
async function openWithTwoRuns(url: string, count: number): Promise<readonly Store[]> {
  const stores = await openStores(url, count);
  await stores[0]?.write(async (tx) => {
    await tx.runs.insert(sampleRun({ id: 'run-2' }));
    await tx.tasks.insert(sampleTask({ id: 'run-2' }));
  });
  return stores;
}

const RUNS = ['run-1', 'run-2'];

async function withAdmin<Result>(
  url: string,
  work: (admin: Client) => Promise<Result>,
): Promise<Result> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Opens stores as separate processes would, on one SQLite file with a run. */
async function openFile(count: number): Promise<readonly [Store, ...Store[]]> {
  const path = join(scratchFolder('removals'), 'desk.sqlite');
  const first = await sqliteStore({ path });
  await first.write(async (tx) => {
    await tx.runs.insert(sampleRun());
    await tx.tasks.insert(sampleTask());
  });
  const others = Array.from({ length: count - 1 }, () => sqliteStore({ path }));
  return [first, ...(await Promise.all(others))];
}

/** Changes a run that a process knows since its claim, with `change` in between. */
async function changeKnown(
  [store, other = store]: readonly [Store, ...Store[]],
  change: (store: Store) => Promise<unknown>,
): Promise<string | undefined> {
  await claimTask(store, ['run'], 60_000);
  await increment(store, 'run-1');
  await change(other);
  await increment(store, 'run-1');
  const count = await countsOf(store, ['run-1']);
  return count === '3' ? undefined : `Three changes left ${count}.`;
}

/** A clock that waits while another connection holds an advisory lock. */
const WAITING_CLOCK = `create schema held;
  create function held.clock_timestamp() returns timestamptz language plpgsql volatile as $$
  begin
    perform pg_catalog.pg_advisory_xact_lock_shared(1);
    return pg_catalog.clock_timestamp();
  end $$`;

/** Returns the known state of the run in a process that has claimed it. */
async function claimAndRead(store: Store): Promise<number | undefined> {
  const claim = await claimTask(store, ['run'], 60_000);
  if (claim === undefined) throw new Error('No claim.');
  return (await store.read((tx) => tx.runs.get(TENANT, 'run-1'), ABOUT))?.auditCount;
}

/** Claims the running run while another transaction has changed it, and not committed yet. */
async function claimDuringChange(url: string): Promise<string | undefined> {
  const [store] = await openStores(url, 1);
  if (store === undefined) throw new Error('No store.');
  return withAdmin(url, async (admin) => {
    await admin.query(`update desk_runs set state = 'running'`);
    await admin.query('begin');
    await admin.query('update desk_runs set audit_count = 7');
    const claim = await claimTask(store, ['run'], 60_000);
    await admin.query('commit');
    const run = await store.read((tx) => tx.runs.get(TENANT, 'run-1'), ABOUT);
    if (claim === undefined) return 'There was no claim.';
    return run?.auditCount === 7 ? undefined : `The claim relies on change ${run?.auditCount}.`;
  });
}

/** Claims the run with a statement that began before another transaction changed it. */
async function claimBeforeChange(url: string): Promise<string | undefined> {
  await openStores(url, 1);
  return withAdmin(url, async (admin) => {
    await admin.query(WAITING_CLOCK);
    await admin.query(`update desk_runs set state = 'running'`);
    const pool = new Pool({
      connectionString: url,
      max: 3,
      options: '-c search_path=public,held,pg_catalog',
    });
    const store = await postgresStore({ pool, migrate: false, onError: () => {} });
    await admin.query('select pg_advisory_lock(1)');
    const reading = claimAndRead(store);
    for (let waiting = 0; waiting === 0; await sleep(5)) {
      const { rows } = await admin.query(
        `select count(*) as waiting from pg_locks where locktype = 'advisory' and not granted`,
      );
      waiting = Number(rows[0].waiting);
    }
    await admin.query('update desk_runs set audit_count = 7');
    await admin.query('select pg_advisory_unlock(1)');
    const seen = await reading;
    return seen === 7 ? undefined : `The claim relies on change ${seen}.`;
  });
}

/** Returns a function after whose call the connection of one commit is lost before its response. */
function losesNextCommit(pool: Pool): () => void {
  let isLost = true;
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    Object.assign(client, {
      async query(statement: { readonly text?: string }, ...rest: readonly never[]) {
        const result = await query(statement as string, ...rest);
        if (isLost || statement.text?.includes('desk_require_unchanged(') !== true) return result;
        isLost = true;
        throw new Error('The connection was lost.');
      },
    });
  });
  return () => {
    isLost = false;
  };
}

/** Probes of statements that several transactions share. */
export const SHARED_PROBES = {
  'slots of a worker claim tasks': async (url) => {
    const [store] = await openStores(url, 1);
    if (store === undefined) throw new Error('No store.');
    await store.write(async (tx) => {
      for (let index = 0; index < 12; index++) {
        await tx.tasks.insert(sampleTask({ kind: 'expiry', id: `hold-${index}` }));
      }
    });
    const slots = Array.from({ length: 12 }, () => claimTask(store, ['expiry'], 60_000));
    const ids = (await Promise.all(slots)).flatMap((claim) => claim?.id ?? []);
    const count = new Set(ids).size;
    return ids.length === 12 && count === 12
      ? undefined
      : `${ids.length} claims of ${count} tasks.`;
  },
  'another worker claims a run that is executed': async (url) => {
    const [store] = await openStores(url, 1);
    if (store === undefined) throw new Error('No store.');
    const claim = (worker: string) =>
      claimTask(store, ['run'], 60_000, [TENANT, 'run', 'run-1'], undefined, {
        worker,
        takesOver: true,
      });
    await claim('one');
    const other = await claim('other');
    return other === undefined ? undefined : 'It took the run over from a process that lives.';
  },
  'a worker without its claim removes a task': async (url) => {
    const [one, other] = await openStores(url, 2);
    if (one === undefined || other === undefined) throw new Error('No store.');
    const claim = await claimTask(one, ['run'], 1);
    await sleep(5);
    const next = await claimTask(other, ['run'], 60_000);
    if (claim === undefined || next === undefined) throw new Error('No claim.');
    try {
      await new RunWriter(one, claim).write(({ tx }) => tx.tasks.remove(TENANT, 'run', 'run-1'));
      return 'It removed the task that another worker executes.';
    } catch (error) {
      return error instanceof ClaimLostError ? undefined : String(error);
    }
  },
  'a worker claims a run that another transaction changes': claimDuringChange,
  'a worker claims a run that has changed meanwhile': claimBeforeChange,
  'one of two runs has changed': async (url) => {
    const [one, other] = await openWithTwoRuns(url, 2);
    if (one === undefined || other === undefined) throw new Error('No store.');
    for (const id of RUNS) await increment(one, id);
    await increment(other, 'run-2');
    await Promise.all(RUNS.map((id) => increment(one, id)));
    const counts = await countsOf(other, RUNS);
    return counts === '2,3' ? undefined : `Changes were lost: ${counts} instead of 2,3.`;
  },
  'the database was restored from a backup meanwhile': async (url) => {
    const [one, other] = await openStores(url, 2);
    if (one === undefined || other === undefined) throw new Error('No store.');
    await increment(one, 'run-1');
    await other.markRestoredFromBackup(5_000);
    const relied = await one.write(async (tx) => {
      const run = await tx.runs.lock(TENANT, 'run-1');
      const time = await tx.restoredFromBackupAt();
      if (run !== undefined) await tx.runs.put({ ...run, auditCount: run.auditCount + 1 });
      return time;
    }, ABOUT);
    return relied === 5_000 ? undefined : `It relied on a backup of time ${relied}.`;
  },
  'the response to a shared commit is lost': async (url) => {
    const [other] = await openWithTwoRuns(url, 1);
    const pool = new Pool({ connectionString: url, max: 6 });
    const lose = losesNextCommit(pool);
    const store = await postgresStore({ pool, onError: () => {} });
    if (other === undefined) throw new Error('No store.');
    for (const id of RUNS) await increment(store, id);
    lose();
    const outcomes = await Promise.allSettled(RUNS.map((id) => increment(store, id)));
    const counts = await countsOf(other, RUNS);
    if (counts !== '2,2') return `4 changes left ${counts}.`;
    const isReported = outcomes.every(
      (outcome) =>
        outcome.status === 'rejected' &&
        outcome.reason instanceof DeskError &&
        outcome.reason.code === 'outcome-unknown',
    );
    return isReported ? undefined : 'A transaction does not report that its outcome is unknown.';
  },
  'another process changes a run that SQLite has': async () =>
    changeKnown(await openFile(2), (other) => increment(other, 'run-1')),
  'a transaction about no run changes one that SQLite has': async () =>
    changeKnown(await openFile(1), (store) =>
      store.write(async (tx) => {
        const run = (await tx.runs.lock(TENANT, 'run-1'))!;
        await tx.runs.put({ ...run, auditCount: run.auditCount + 1 });
      }),
    ),
  'a transaction about a run in SQLite reads other rows': async () =>
    changeKnown(await openFile(1), (store) =>
      store.write(async (tx) => {
        await tx.delegations.get(TENANT, 'none');
        const run = (await tx.runs.lock(TENANT, 'run-1'))!;
        await tx.runs.put({ ...run, auditCount: run.auditCount + 1 });
      }, ABOUT),
    ),
  'one of two writes to SQLite fails': async () => {
    const store = await sqliteStore();
    const write = (id: string, isFailing: boolean) =>
      store.write(async (tx) => {
        await tx.runs.insert(sampleRun({ id }));
        if (isFailing) throw new Error('It fails.');
      });
    await Promise.allSettled([write('run-1', true), write('run-2', false)]);
    const counts = await countsOf(store, RUNS);
    return counts === ',0' ? undefined : `The runs have the counts ${counts}.`;
  },
  'a transaction of several writes to SQLite fails': async () => {
    const group = new GroupCommit({
      savepoints: { execute() {}, isInTransaction: true },
      async transact(work) {
        await work();
        throw new Error('The disk is full.');
      },
    });
    const writes = [1, 2].map(() =>
      group.add(
        async () => {},
        () => {},
      ),
    );
    const pending = sleep(100, 'pending');
    const settled = await Promise.allSettled(writes.map((one) => Promise.race([one, pending])));
    return settled.every(({ status }) => status === 'rejected')
      ? undefined
      : 'A write that was rolled back is acknowledged.';
  },
} satisfies Record<string, Probe>;
