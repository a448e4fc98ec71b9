import { DeskError } from '../../errors/desk-error.ts';
import type { TaskClaim } from '../../model/task-row.ts';
import type { SqlTx } from '../sql/sql-tx.ts';
import type { ReadTx, RunReference, Tx } from '../store.ts';
import type { StoreChange } from '../store-change.ts';
import { type ClaimedTaskRow, claimStatement, groupOf, isForTurn } from './claim-statement.ts';
import {
  type ColumnTypesByName,
  commitStatement,
  NOW,
  type PreparedCommit,
  prepareCommit,
  type Statement,
} from './commit-statement.ts';
import { knowledgeOf, LOAD_RUN, LOAD_RUN_OF_HOLD, type LoadedRun } from './load-run.ts';
import { nextKnowledge } from '../known/next-knowledge.ts';
import { BufferedTx, type ClaimRequest } from '../known/buffered-tx.ts';
import { isConflict, isIntegrityViolation, outcomeUnknown } from './postgres-errors.ts';
import { type PostgresPool, queryOnce } from './postgres-pool.ts';
import { KnownRuns, NEW_RUN, type RunKnowledge } from '../known/run-knowledge.ts';
import { SharedStatements } from './shared-statements.ts';
import type { StoreClock } from './store-clock.ts';
import { Turns } from './turns.ts';
import { UnknownRowsError } from '../known/write-buffer.ts';

/** A committed transaction. */
export interface Committed<Result> {
  readonly result: Result;
  /** The changes that other processes wait for. */
  readonly change: StoreChange | undefined;
}

/** Dependencies of {@link OptimisticTransactions}. */
export interface OptimisticDeps {
  readonly pool: PostgresPool;
  /** Reads single rows, each in its own transaction. */
  readonly reader: SqlTx;
  readonly clock: StoreClock;
  readonly timeouts: Timeouts;
}

/** Limits of statements, in milliseconds. */
export interface Timeouts {
  /** The time to wait for a lock. */
  readonly lock: number;
  /** The time after which the connection of a statement without a response is closed. */
  readonly response: number;
}

/** The result of a committed statement. */
interface CommitResult {
  readonly now: number;
  readonly version: string;
  readonly enqueued: number;
}

type SomeCommits = readonly [PreparedCommit, ...PreparedCommit[]];

/** The time that a statement of several transactions waits for a lock, in milliseconds. */
const SHARED_LOCK_MS = 100;

/**
 * Transactions about one run, as one statement. The callback executes on rows that this process knows, and the
 * statement makes its writes if these rows have not changed.
 *
 * Transactions with the same shape that wait at the same time share a statement.
 *
 * If a row has changed, if the callback throws, or if it needs more than the known rows, the transaction is executed
 * with locks instead. So errors are always those of a transaction with locks.
 */
export class OptimisticTransactions {
  readonly #pool: PostgresPool;
  readonly #reader: SqlTx;
  readonly #runs = new KnownRuns();
  readonly #clock: StoreClock;
  readonly #timeouts: Timeouts;
  /** The transactions of a run in this process wait for each other instead of conflicting. */
  readonly #turns = new Turns();
  readonly #commits = new SharedStatements<PreparedCommit, CommitResult | undefined>((commits) =>
    this.#sendCommits(commits),
  );
  readonly #claims = new SharedStatements<ClaimRequest, TaskClaim | undefined>((requests) =>
    this.#sendClaims(requests),
  );
  #types: ColumnTypesByName = new Map();

  constructor({ pool, reader, clock, timeouts }: OptimisticDeps) {
    this.#pool = pool;
    this.#timeouts = timeouts;
    this.#clock = clock;
    this.#reader = reader;
  }

  /** Sets the types of the columns. Call it before the first transaction. */
  setColumnTypes(types: ColumnTypesByName): void {
    this.#types = types;
  }

  /** Executes a transaction about a run; `withLocks` executes it if one statement cannot. */
  async write<Result>(
    about: RunReference,
    work: (tx: Tx) => Promise<Result>,
    withLocks: () => Promise<Committed<Result>>,
  ): Promise<Committed<Result>> {
    const { tenant } = about;
    const runId = await this.#runIdOf(about);
    if (runId === undefined) return withLocks();
    return this.#turns.take(JSON.stringify([tenant, runId]), async () => {
      const isNew = 'isNew' in about && about.isNew === true;
      const known = isNew ? NEW_RUN : await this.#known(tenant, runId);
      const committed = known && (await this.#commit([tenant, runId], known, work));
      if (committed !== undefined) return committed;
      this.#runs.forget(tenant, runId);
      return withLocks();
    });
  }

  /** Executes a callback that only reads a run; `undefined` if it needs more than the known rows. */
  async read<Result>(
    about: RunReference,
    work: (tx: ReadTx) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined> {
    const { tenant } = about;
    const runId = await this.#runIdOf(about);
    const known = runId === undefined ? undefined : this.#runs.get(tenant, runId);
    const { now } = this.#clock;
    if (runId === undefined || known === undefined || now === undefined) return undefined;
    try {
      const result = await work(new BufferedTx(known, { now, grants: this.#reader.grants }));
      return { result };
    } catch {
      return undefined;
    } finally {
      const { messages: _read, ...rest } = known;
      // The messages are read once, and are large.
      if (this.#runs.get(tenant, runId) === known) this.#runs.set(tenant, runId, rest);
    }
  }

  /** Executes a transaction that only claims a task; `withLocks` executes it if it does more. */
  async claim<Result>(
    work: (tx: Tx) => Promise<Result>,
    withLocks: () => Promise<Committed<Result>>,
  ): Promise<Committed<Result>> {
    const { now } = this.#clock;
    if (now === undefined) return withLocks();
    const claim = (request: ClaimRequest) => this.#claim(request);
    try {
      const result = await work(new BufferedTx(NEW_RUN, { now, claim }));
      return { result, change: undefined };
    } catch (error) {
      if (error instanceof UnknownRowsError || isConflict(error)) return withLocks();
      throw withUnknownOutcome(error);
    }
  }

  /**
   * Claims a task. If the claim has read the current rows of its run, they are known from then on.
   * Otherwise the run is read again after the commit of the claim, when the fence prevents changes
   * of the previous worker.
   */
  async #claim(request: ClaimRequest): Promise<TaskClaim | undefined> {
    const isAny = request.kinds.some((kind) => request.queues?.[kind]?.length !== 0);
    return isAny ? this.#claims.send(groupOf(request), request) : undefined;
  }

  /** Claims a task for each request of a group, until no task is due. */
  async #sendClaims(
    requests: readonly [ClaimRequest, ...ClaimRequest[]],
  ): Promise<readonly (TaskClaim | undefined)[]> {
    const rows = await this.#send<ClaimedTaskRow>(claimStatement(requests));
    const turns = rows.filter(({ is_turn }) => is_turn);
    const others = rows.filter(({ is_turn }) => !is_turn);
    return requests.map((request) => {
      // A worker that claims for the next tenant counts the claim as the turn of that tenant.
      const [first, second] = isForTurn(request) ? [turns, others] : [others, turns];
      const row = first.shift() ?? second.shift();
      return row && this.#claimed(row);
    });
  }

  #claimed(row: ClaimedTaskRow): TaskClaim {
    const { tenant, kind, id, queue, fence, attempts, version } = row;
    this.#clock.set(row.now);
    if (kind === 'run' && !row.is_current) {
      this.#runs.forget(tenant, id);
    } else if (kind === 'run') {
      const { run, task, ...known } = knowledgeOf(row);
      const marked =
        row.is_marked && run ? { row: { ...run.row, state: 'running' as const }, version } : run;
      // The claim has changed the task, so its version is that of the claim.
      const claimed = task && { ...task, version };
      this.#runs.set(tenant, id, { ...known, run: marked, task: claimed });
    }
    return Object.freeze({ tenant, kind, id, ...(queue !== null && { queue }), fence, attempts });
  }

  /** Reads the clock of the database. */
  async readClock(): Promise<void> {
    const [row] = await this.#send<{ now: number }>({
      text: `select ${NOW} as now where $1`,
      values: [true],
    });
    if (row !== undefined) this.#clock.set(row.now);
  }

  async #commit<Result>(
    [tenant, runId]: readonly [string, string],
    known: RunKnowledge,
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Committed<Result> | undefined> {
    const { now } = this.#clock;
    if (now === undefined) return undefined;
    const tx = new BufferedTx(known, { now, grants: this.#reader.grants });
    let result: Result;
    try {
      result = await work(tx);
    } catch {
      // The rows may be outdated, so only a transaction with locks may report an error.
      return undefined;
    }
    const { buffer } = tx;
    if (buffer.isEmpty || !buffer.isVerifiable) return undefined;
    const commit = prepareCommit(buffer, tx.conditions);
    const row = await this.#commits.send(commit.shape, commit);
    if (row === undefined) return undefined;
    this.#clock.set(row.now);
    this.#runs.set(tenant, runId, nextKnowledge(known, tx, row.version));
    if (row.enqueued > 0) tx.changes.addTask(now, now);
    return { result, change: tx.changes.change };
  }

  /**
   * Sends commits as one statement. If it fails, none is made, and each is sent alone: the failure may concern only one
   * of them. So no commit waits for a lock that another one needs.
   */
  async #sendCommits(
    commits: SomeCommits,
  ): Promise<readonly (CommitResult | undefined | Promise<CommitResult | undefined>)[]> {
    const { lock } = this.#timeouts;
    if (commits.length > 1) {
      const shared = await this.#sendCommit(commits, Math.min(lock, SHARED_LOCK_MS)).catch(
        (error: unknown) => {
          // The statement may have been committed.
          if (error instanceof DeskError && error.code === 'outcome-unknown') throw error;
        },
      );
      if (shared !== undefined) return commits.map(() => shared);
    }
    return commits.map((commit) => {
      const alone = this.#sendCommit([commit], lock);
      // The request of the commit handles a rejection, but only after this turn.
      alone.catch(() => {});
      return alone;
    });
  }

  /** Sends a commit; returns `undefined` if the database rejected it because a row has changed. */
  async #sendCommit(commits: SomeCommits, lockTimeout: number): Promise<CommitResult | undefined> {
    try {
      const [row] = await this.#send<CommitResult>(
        commitStatement(commits, lockTimeout, this.#types),
      );
      return row;
    } catch (error) {
      if (isConflict(error) || isIntegrityViolation(error)) return undefined;
      throw withUnknownOutcome(error);
    }
  }

  async #runIdOf(about: RunReference): Promise<string | undefined> {
    if ('runId' in about) return about.runId;
    const { tenant, holdId } = about;
    const known = this.#runs.runOfHold(tenant, holdId);
    if (known !== undefined) return known;
    const [loaded] = await this.#send<LoadedRun>({
      text: LOAD_RUN_OF_HOLD,
      values: [tenant, holdId],
    });
    if (loaded === undefined) return undefined;
    this.#runs.set(tenant, loaded.run_id, knowledgeOf(loaded));
    return loaded.run_id;
  }

  async #known(tenant: string, runId: string): Promise<RunKnowledge | undefined> {
    const known = this.#runs.get(tenant, runId);
    if (known !== undefined) return known;
    const [loaded] = await this.#send<LoadedRun>({ text: LOAD_RUN, values: [tenant, runId] });
    const knowledge = loaded && knowledgeOf(loaded);
    return knowledge?.run === undefined ? undefined : knowledge;
  }

  async #send<Row>({ text, values }: Statement): Promise<readonly Row[]> {
    const { rows } = await queryOnce(this.#pool, text, values, this.#timeouts.response);
    // The caller names the columns of its statement.
    return rows as readonly Row[];
  }
}

/** Returns the error of a statement that may have been committed, although its connection was lost. */
function withUnknownOutcome(error: unknown): unknown {
  const isLost = error instanceof DeskError && error.code === 'store-unreachable';
  return isLost ? outcomeUnknown(error.cause) : error;
}
