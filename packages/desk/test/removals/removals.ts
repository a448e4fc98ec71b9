import type { ProbeName } from './probes.ts';

/** A fence, lock or commit that is removed from the sources, and the probe that must detect it. */
export interface Removal {
  readonly name: string;
  readonly probe: ProbeName;
  /** The file, from `packages/desk/src/` on. */
  readonly file: string;
  /** The text, which occurs exactly once. */
  readonly text: string;
  readonly by: string;
}

const CLAIMED_RUN = 'transitions/claimed-run.ts';
const TASKS = 'transitions/tasks.ts';
const DELIVERIES = 'transitions/settle-delivery.ts';
const LEDGER = 'ledger/store-ledger.ts';
const STORE = 'store/postgres/postgres-store.ts';
const COMMIT = 'store/postgres/commit-parts.ts';
const CLAIM = 'store/postgres/claim-statement.ts';
const STATEMENT = 'store/postgres/commit-statement.ts';
const TRANSACTIONS = 'store/postgres/optimistic-transactions.ts';
const GROUP = 'store/sqlite/group-commit.ts';
const SQLITE = 'store/sqlite/sqlite-store.ts';
const KNOWN = 'store/sqlite/known-transactions.ts';

/** A transition without a fence locks the task of a claim and does not compare it. */
const UNFENCED = 'const task = (await tx.tasks.lock(claim.tenant, claim.kind, claim.id))!;';
const FENCED = 'const task = await claimedTask(tx, claim);';

function removal(
  probe: ProbeName,
  name: string,
  [file, text, by = '']: readonly [file: string, text: string, by?: string],
): Removal {
  return { probe, name, file, text, by };
}

/** Every comparison of an owner before a write. */
const FENCES: readonly Removal[] = [
  removal('a stale worker changes a run', 'the fence of a claim', [
    CLAIMED_RUN,
    ' || task.fence !== claim.fence',
  ]),
  removal('a stale worker changes a run', 'the fence of every change of a run', [
    CLAIMED_RUN,
    'await claimedTask(tx, claim));',
    '(await tx.tasks.lock(claim.tenant, claim.kind, claim.id))!);',
  ]),
  removal('a stale worker changes a run', 'the new fence of a claim', [
    'store/sql/tasks.ts',
    'fence = fence + 1, ',
  ]),
  removal('a worker claims a task again', 'the new fence of a claim in one statement', [
    CLAIM,
    'fence = t.fence + 1, ',
  ]),
  removal('a stale worker begins a run', 'the fence of the read that begins a run', [
    'transitions/begin-run.ts',
    ' || task?.fence !== fence',
  ]),
  removal('a stale worker sends a heartbeat', 'the fence of heartbeats and postponed tasks', [
    TASKS,
    FENCED,
    UNFENCED,
  ]),
  removal('a worker sends a heartbeat for a parked run', 'the end of a claim when its run parks', [
    TASKS,
    'if (task.due === undefined) throw new ClaimLostError();',
  ]),
  removal('a stale worker starts a call', 'the fence before a call executes', [
    TASKS,
    ' || task.fence !== claim.fence',
  ]),
  removal('a worker releases a run that parked', 'the state of a run that is released', [
    'transitions/release-run.ts',
    "if (change.run.state !== 'running') throw new ClaimLostError();",
  ]),
  removal('a stale worker expires a hold', 'the fence of expiries', [
    'transitions/expire-hold.ts',
    FENCED,
    UNFENCED,
  ]),
  removal('a stale worker marks an event as delivered', 'the fence of notifications', [
    'transitions/deliver.ts',
    'await claimedTask(tx, claim);',
  ]),
  removal('a stale worker gives a task up', 'the fence of tasks that are given up', [
    'transitions/abandon-task.ts',
    FENCED,
    UNFENCED,
  ]),
  removal('a stale worker records a webhook as delivered', 'the fence of delivered webhooks', [
    DELIVERIES,
    `await claimedTask(tx, claim);
    await put(tx, row, { state: 'delivered'`,
    `await put(tx, row, { state: 'delivered'`,
  ]),
  removal('a stale worker records a webhook as failed', 'the fence of failed webhooks', [
    DELIVERIES,
    `${FENCED}
    const { changedAt } = await put(tx, row, { attempts`,
    `${UNFENCED}
    const { changedAt } = await put(tx, row, { attempts`,
  ]),
  removal('a stale worker gives a webhook up', 'the fence of webhooks that are given up', [
    DELIVERIES,
    `${FENCED}
    const { changedAt } = await put(tx, row, { state: 'given-up'`,
    `${UNFENCED}
    const { changedAt } = await put(tx, row, { state: 'given-up'`,
  ]),
  removal('a stale attempt settles a call', 'the attempt of a ledger entry', [
    LEDGER,
    'return entry?.attempt === attempt ? entry : undefined;',
    'return entry;',
  ]),
  removal('a heartbeat revives a settled call', 'the state of an entry whose lease is extended', [
    LEDGER,
    "if (entry?.state !== 'claimed') return 'lost';",
    "if (entry === undefined) return 'lost';",
  ]),
  removal('a call is released after its outcome', 'the state of an entry that is released', [
    LEDGER,
    "if (entry?.state === 'claimed') await",
    'if (entry !== undefined) await',
  ]),
];

/** Every lock of a row or of the database, and the versions that replace locks in transactions of one statement. */
const LOCKS: readonly Removal[] = [
  removal('two transactions change a run', 'the lock of rows that a transaction reads', [
    STORE,
    "forUpdate: 'for update',",
    "forUpdate: '',",
  ]),
  removal('workers claim tasks with locks', 'the lock of a task that is claimed with locks', [
    STORE,
    'skipLocked: sql`for update skip locked`,',
    'skipLocked: sql``,',
  ]),
  removal('workers claim tasks', 'the lock of a task that is claimed in one statement', [
    CLAIM,
    'limit ${MAX_SHARED} for update skip locked)',
    'limit ${MAX_SHARED})',
  ]),
  removal('a process changes a run that another has changed', 'the version of a changed row', [
    COMMIT,
    ' and t.xmin = x.version::xid returning 1',
    ' and x.version is not null returning 1',
  ]),
  removal('a process relies on a run that another has changed', 'the version of a read row', [
    COMMIT,
    ' and t.xmin = x.version::xid for no key update of t',
    ' and x.version is not null for no key update of t',
  ]),
  removal('a process relies on a run that another changes', 'the lock of a read row', [
    COMMIT,
    '::xid for no key update of t',
    '::xid',
  ]),
  removal('a row appears that a process assumed missing', 'the key of an inserted row', [
    TRANSACTIONS,
    'if (isConflict(error) || isIntegrityViolation(error)) return undefined;',
    'if (isIntegrityViolation(error)) return { now: 0, version: "0", enqueued: 0 };',
  ]),
  removal('processes create the tables', 'the advisory lock of migrations', [
    STORE,
    'if (mayMigrate) await lockMigrations(db);',
  ]),
  removal('two processes write to a file', 'the lock of a transaction in SQLite that writes', [
    SQLITE,
    "await this.#transact(writer, 'begin immediate', async () => {",
    "await this.#transact(writer, 'begin', async () => {",
  ]),
];

/** The conditions of statements that several transactions share. */
const SHARED: readonly Removal[] = [
  removal('slots of a worker claim tasks', 'the claim of a slot for itself', [
    TRANSACTIONS,
    'const row = first.shift() ?? second.shift();',
    'const row = first[0] ?? second[0];',
  ]),
  removal('another worker claims a run that is executed', 'the owner of a run that is taken over', [
    CLAIM,
    "t.claimed_by = ${value(worker, 'text')} and exists",
    'exists',
  ]),
  removal('a worker without its claim removes a task', 'the version of a removed row', [
    COMMIT,
    ' and t.xmin = x.version::xid returning t.xmin',
    ' and x.version is not null returning t.xmin',
  ]),
  removal('a worker claims a run that another transaction changes', 'the lock of a claimed run', [
    CLAIM,
    'for no key update of r skip locked)',
    ')',
  ]),
  removal('a worker claims a run that has changed meanwhile', 'the version of a claimed run', [
    CLAIM,
    ' and r.xmin = s.version',
  ]),
  removal('a worker claims a run that has changed meanwhile', 'the check of a claimed run', [
    TRANSACTIONS,
    "if (kind === 'run' && !row.is_current) {",
    'if (false) {',
  ]),
  removal('one of two runs has changed', 'the number of changed rows', [
    STATEMENT,
    'required.push(`(select count(*) from ${name}) = ${placeholder()}::bigint`)',
    'required.push(`(select count(*) from ${name}) > 0 * ${placeholder()}::bigint`)',
  ]),
  removal('one of two runs has changed', 'the failure of a statement that found other rows', [
    STATEMENT,
    'if is_unchanged is not true then',
    'if false then',
  ]),
  removal('the database was restored from a backup meanwhile', 'the time of the last backup', [
    STATEMENT,
    'required.push(`${restored} = ${placeholder()}::bigint`);',
    'required.push(`${restored} >= 0 * ${placeholder()}::bigint`);',
  ]),
  removal('the response to a shared commit is lost', 'the unknown outcome of a shared commit', [
    TRANSACTIONS,
    "if (error instanceof DeskError && error.code === 'outcome-unknown') throw error;",
  ]),
  removal('another process changes a run that SQLite has', 'the version of an SQLite database', [
    KNOWN,
    'if (version !== this.#version) this.clear();',
  ]),
  removal(
    'a transaction about no run changes one that SQLite has',
    'the end of what is known about runs in SQLite',
    [SQLITE, 'if (about === undefined) this.#known.clear();'],
  ),
  removal(
    'a transaction about a run in SQLite reads other rows',
    'the end of what is known about a run in SQLite',
    [SQLITE, 'await this.#known.forget(about, this.#newTx(this.#writer));'],
  ),
  removal('one of two writes to SQLite fails', 'the savepoint of a write', [
    GROUP,
    "savepoints.execute('rollback to queued_write');",
  ]),
  removal('a transaction of several writes to SQLite fails', 'the error of a failed commit', [
    GROUP,
    'outcomes.length = 0;',
  ]),
];

/** Every commit around a side effect. */
const COMMITS: readonly Removal[] = [
  removal('a process dies during a call', 'the commit before a call executes', [
    LEDGER,
    'return await run.writer.write(({ change }) => changeRun(change));',
    `if (note.kind !== 'call-started') return await run.writer.write(({ change }) => changeRun(change));
      run.writer.defer(async ({ change }) => void (await changeRun(change)));
      return undefined;`,
  ]),
  removal('a process dies after a call', 'the commit after a call has executed', [
    LEDGER,
    'return await run.writer.write(({ change }) => changeRun(change));',
    `if (note.kind !== 'call-settled') return await run.writer.write(({ change }) => changeRun(change));
      run.writer.defer(async ({ change }) => void (await changeRun(change)));
      return undefined;`,
  ]),
  removal('a write is acknowledged', 'the commit of a transaction in SQLite', [
    'store/sqlite/sqlite-store.ts',
    "connection.execute('commit');",
    "connection.execute('rollback');",
  ]),
  removal('a statement of a transaction fails', 'the confirmation of a commit', [
    STORE,
    "if (rows[0]?.command === 'COMMIT') return;",
    'return;',
  ]),
  removal('a database acknowledges before it writes', 'synchronous commits', [
    STORE,
    "this.#beginWrite += '; set local synchronous_commit = on';",
  ]),
];

export const REMOVALS: readonly Removal[] = [...FENCES, ...LOCKS, ...SHARED, ...COMMITS];
