import type { HoldState } from '../../model/states.ts';
import type { InputState } from '../../model/input-row.ts';
import type { TaskClaim } from '../../model/task-row.ts';
import { applyWrites } from '../known/apply-writes.ts';
import { BufferedTx } from '../known/buffered-tx.ts';
import { nextKnowledge } from '../known/next-knowledge.ts';
import { type KnownRow, KnownRuns, NEW_RUN, type RunKnowledge } from '../known/run-knowledge.ts';
import type { WriteBuffer } from '../known/write-buffer.ts';
import { INPUTS } from '../sql/database.ts';
import type { SqlTx } from '../sql/sql-tx.ts';
import type { ReadTx, RunReference, Tx } from '../store.ts';
import { mergeChanges, type StoreChange } from '../store-change.ts';

/** A write of a transaction that is not committed yet. */
export interface Written<Result> {
  readonly result: Result;
  /** The changes that others wait for. */
  readonly change: StoreChange | undefined;
}

/**
 * Executes transactions about a run on rows that this process knows, so that they read nothing.
 *
 * One transaction writes at a time, and each begins with the version of the database. If another connection has written
 * since, nothing is known any more. Other transactions of this process are reported with `forget` or `clear`.
 */
export class KnownTransactions {
  readonly #runs = new KnownRuns();
  #version: unknown;
  /** The ids of the runs about which the current transaction has changed what is known. */
  readonly #changed = new Set<string>();

  /** Begins a transaction with the version of the database, which writes of other connections change. */
  begin(version: unknown): void {
    if (version !== this.#version) this.clear();
    this.#version = version;
  }

  /** Ends the transaction. */
  end(isCommitted: boolean): void {
    if (!isCommitted && this.#changed.size > 0) this.clear();
    this.#changed.clear();
  }

  clear(): void {
    this.#runs.clear();
  }

  /** Forgets a run that another transaction of this process has changed. */
  async forget(about: RunReference, tx: SqlTx): Promise<void> {
    const { tenant } = about;
    // The run may be known without a hold that it has consumed.
    const hold = 'holdId' in about ? await tx.holds.get(tenant, about.holdId) : undefined;
    const runId = hold?.runId ?? this.#idOf(about);
    if (runId !== undefined) this.#runs.forget(tenant, runId);
  }

  /** Executes a write about a run; returns `undefined` and writes nothing if it needs more than the known rows. */
  async write<Result>(
    about: RunReference,
    work: (tx: Tx) => Promise<Result>,
    tx: SqlTx,
  ): Promise<Written<Result> | undefined> {
    const known = await this.#known(about, tx);
    if (known === undefined) return undefined;
    const { grants, entries } = tx;
    const buffered = new BufferedTx(known, { now: await tx.now(), grants, entries });
    let result: Result;
    try {
      result = await work(buffered);
    } catch {
      // A transaction on the rows of the database reports the error.
      return undefined;
    }
    const { buffer, changes } = buffered;
    if (await isKeyTaken(buffer, tx)) return undefined;
    await applyWrites(buffer, tx);
    const next = nextKnowledge(known, buffered, VERSION);
    if (next.run !== undefined) this.#set(next.run.row.tenant, next.run.row.id, next);
    const { change } = tx.changes;
    return { result, change: change ? mergeChanges(changes.change, change) : changes.change };
  }

  /** Executes a callback that only reads a run; `undefined` if it needs more than the known rows. */
  async read<Result>(
    about: RunReference,
    now: number,
    work: (tx: ReadTx) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined> {
    const runId = this.#idOf(about);
    const known = this.#knownRun(about);
    // Changes that are not committed must not be read.
    if (runId === undefined || known === undefined || this.#changed.has(runId)) return undefined;
    const { messages: _read, ...rest } = known;
    // The messages are read once, and are large.
    this.#runs.set(about.tenant, runId, rest);
    try {
      return { result: await work(new BufferedTx(known, { now })) };
    } catch {
      return undefined;
    }
  }

  /** Reads the run of a claimed task, or the part of it that the claim has changed. */
  async readClaimed({ tenant, kind, id }: TaskClaim, tx: SqlTx): Promise<void> {
    if (kind !== 'run') return;
    const known = this.#runs.get(tenant, id) ?? (await loadRun(tx, tenant, id));
    if (known?.run === undefined) return;
    const { row } = known.run;
    // The claim marks a run that is ready as running.
    const run = row.state === 'ready' ? { ...row, state: 'running' as const } : row;
    const messages = await tx.messages.from(tenant, row.conversationId, 0);
    const task = await readTask(tx, tenant, id);
    this.#set(tenant, id, { ...known, run: knownRow(run), task, messages });
  }

  #set(tenant: string, runId: string, knowledge: RunKnowledge): void {
    this.#changed.add(runId);
    this.#runs.set(tenant, runId, knowledge);
  }

  #idOf(about: RunReference): string | undefined {
    return 'runId' in about ? about.runId : this.#runs.runOfHold(about.tenant, about.holdId);
  }

  #knownRun(about: RunReference): RunKnowledge | undefined {
    const runId = this.#idOf(about);
    return runId === undefined ? undefined : this.#runs.get(about.tenant, runId);
  }

  async #known(about: RunReference, tx: SqlTx): Promise<RunKnowledge | undefined> {
    if ('isNew' in about && about.isNew) {
      return { ...NEW_RUN, restoredFromBackupAt: await tx.restoredFromBackupAt() };
    }
    // A run becomes known when it starts or is claimed. Reading all of its rows for one transaction would take longer.
    return this.#knownRun(about);
  }
}

/** The version of a row. That of the database stands for it. */
const VERSION = '';

function knownRow<Row extends object>(row: Row): KnownRow<Row> {
  return { row: Object.freeze(row), version: VERSION };
}

/** Returns whether another run has the idempotency key of an input. No other write can find its key taken. */
async function isKeyTaken(buffer: WriteBuffer, tx: SqlTx): Promise<boolean> {
  for (const { tenant, requesterKey, idempotencyKey } of buffer.inserted(INPUTS)) {
    if (idempotencyKey === undefined) continue;
    const taken = await tx.inputs.byIdempotencyKey(tenant, requesterKey, idempotencyKey);
    if (taken !== undefined) return true;
  }
  return false;
}

/** The states of holds that are known. */
const HELD: readonly HoldState[] = ['open', 'decided', 'expired', 'superseded', 'cancelled'];
const ALL_INPUTS: readonly InputState[] = ['queued', 'delivered', 'dropped'];

async function readTask(tx: SqlTx, tenant: string, runId: string): Promise<RunKnowledge['task']> {
  const task = await tx.tasks.get(tenant, 'run', runId);
  return task && knownRow(task);
}

/** Reads the rows of a run. */
async function loadRun(
  tx: SqlTx,
  tenant: string,
  runId: string,
): Promise<RunKnowledge | undefined> {
  const run = await tx.runs.get(tenant, runId);
  if (run === undefined) return undefined;
  const holds = await tx.holds.ofRun(tenant, runId, HELD);
  const decisions = await Promise.all(holds.map(({ id }) => tx.decisions.ofHold(tenant, id)));
  // Infinity without holds.
  const auditAfter = Math.min(...holds.map(({ auditFrom = 0 }) => auditFrom));
  // One entry more than the run has would show that it was added to the database.
  const maxAudit = run.auditCount + 1;
  return {
    run: knownRow(run),
    task: await readTask(tx, tenant, runId),
    holds: holds.map(knownRow),
    decisions: decisions.flat(),
    inputs: (await tx.inputs.ofRun(tenant, runId, ALL_INPUTS)).map(knownRow),
    entries: (await tx.entries.ofRun(tenant, runId)).map(knownRow),
    audit: holds.length === 0 ? [] : await tx.audit.ofRun(tenant, runId, auditAfter, maxAudit),
    auditAfter,
    messageCount: await tx.messages.count(tenant, run.conversationId),
    restoredFromBackupAt: await tx.restoredFromBackupAt(),
  };
}
