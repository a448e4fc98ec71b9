import { ClaimLostError } from '../errors/claim-lost-error.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { Logger } from '../errors/logger.ts';
import type { ErrorContext, ReportError } from '../errors/report-error.ts';
import { TaskGivenUpError } from '../errors/task-given-up-error.ts';
import {
  type ClaimOptions,
  TASK_KINDS,
  type TaskClaim,
  type TaskKind,
  type TaskQueues,
  type TaskRow,
} from '../model/task-row.ts';
import type { ReadTx, Store, TaskKey, Tx } from '../store/store.ts';
import { abandonTask } from '../transitions/abandon-task.ts';
import { claimTask, postponeTask } from '../transitions/tasks.ts';
import { backoff } from './backoff.ts';
import { Drain } from './drain.ts';
import { IdleSlots } from './idle-slots.ts';
import { type NextPerformance, whenToPerform } from './next-performance.ts';
import { RunLimits, type RunLimitOptions } from './run-limits.ts';
import { withClaim } from './with-claim.ts';

/** Signals for a task that is being performed. */
export interface TaskSignals {
  /** Aborts when another worker has the task, or when it was revoked. */
  readonly lost: AbortSignal;
  /** Aborts when the worker must stop soon. Work that can be repeated should end. */
  readonly stopping: AbortSignal;
  /** Aborts when the worker stops, even while a call executes. */
  readonly ending: AbortSignal;
}

/** A function that performs a task. */
export type TaskHandler = (claim: TaskClaim, signals: TaskSignals) => Promise<void>;

/** Options of a worker. */
export interface WorkerOptions {
  readonly store: Store;
  /** The handlers by kind of task. Other workers claim tasks of other kinds. */
  readonly handlers: Readonly<Partial<Record<TaskKind, TaskHandler>>>;
  /** The queues that it claims from, in the transaction of the claim. */
  readonly queuesIn?: ((tx: ReadTx) => Promise<TaskQueues>) | undefined;
  /** The time that a claim is valid without a heartbeat, in milliseconds. */
  readonly lease: number;
  /** Receives errors outside of runs. */
  readonly onError: ReportError;
  /** Receives claims that were lost. */
  readonly logger: Logger;
}

const NEVER = new AbortController().signal;
/** Expiries come first, since runs wait for them. */
const ORDERS: readonly (readonly TaskKind[])[] = [
  ['expiry', 'outbox', 'webhook', 'run'],
  ['expiry', 'run', 'outbox', 'webhook'],
];
/**
 * The number of failed attempts, over about three hours, after which a notification or an expiry is
 * given up.
 */
const MAX_ATTEMPTS = 50;
/** The time after which a due task that this process cannot claim is tried again. */
const BUSY_MS = 1_000;
const NEVER_STOPS: StopSignals = { stopping: NEVER, ending: NEVER };

export type StopSignals = Omit<TaskSignals, 'lost'>;

/** The number of slots that only tasks of one kind occupy, by kind. */
export type ReservedSlots = Readonly<Partial<Record<TaskKind, number>>>;

/** Options of the loop of a worker. */
export interface WorkerLoopOptions extends RunLimitOptions {
  readonly signal: AbortSignal;
  /** The name that is stored with the tasks that it claims. */
  readonly name?: string | undefined;
  /** The number of slots for tasks of any kind. */
  readonly concurrency: number;
  /** The number of further slots for tasks of one kind. */
  readonly reservedSlots: ReservedSlots;
  readonly pollMs: number;
  /** The time that current tasks have when the signal aborts, in milliseconds. */
  readonly drainMs: number;
}

/**
 * A worker that claims and performs due tasks. Any number of workers can share a store, in any
 * number of processes.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #orders: readonly (readonly TaskKind[])[];
  #turn = 0;
  /** The number of claims, by the kinds of their tasks. */
  readonly #claims = new Map<string, number>();
  /** The tenants that had the last turns. */
  #lastTurns: Readonly<Partial<Record<TaskKind, string>>> = {};
  /**
   * The number of current performances of each task. A task whose claim was lost may still be
   * ending.
   */
  readonly #performances = new Map<string, number>();

  constructor(options: WorkerOptions) {
    this.#options = options;
    const isHandled = (kind: TaskKind) => options.handlers[kind] !== undefined;
    this.#orders = ORDERS.map((kinds) => kinds.filter(isHandled));
  }

  /** Performs one due task. Returns false if no task is due. */
  async performNext(): Promise<boolean> {
    return this.#claimAndPerform(this.#nextOrder(), undefined, NEVER_STOPS);
  }

  /** Performs this task, if it is due and no worker has claimed it. */
  async performTask(task: TaskKey): Promise<boolean> {
    return this.#claimAndPerform([task[1]], task, NEVER_STOPS);
  }

  /**
   * Performs a task for an engine, if it is due or `owner` had claimed it. Returns the time after
   * which to perform it again, or `undefined` if it is not due until it is scheduled again.
   */
  async perform(task: TaskKey, owner: string, signals: StopSignals): Promise<NextPerformance> {
    const { store, lease, queuesIn } = this.#options;
    const options: ClaimOptions = { worker: owner, takesOver: true };
    for (;;) {
      const isHandled = this.#options.handlers[task[1]] !== undefined;
      const claim = isHandled
        ? await claimTask(store, [task[1]], lease, task, queuesIn, options)
        : undefined;
      if (claim === undefined) return whenToPerform(store, task, BUSY_MS);
      await this.#performClaimed(claim, signals);
      const next = await whenToPerform(store, task);
      // A run whose calls a grant approved is ready again immediately.
      if (next === undefined || next.again > 0 || signals.stopping.aborted) return next;
    }
  }

  /** Returns true while this process performs a task. */
  isPerforming(...task: TaskKey): boolean {
    return this.#performances.has(JSON.stringify(task));
  }

  /** Returns the tasks that were due `overdueMs` ago, of the kinds and queues that this worker handles. */
  overdueTasks(overdueMs: number, limit: number): Promise<readonly TaskRow[]> {
    const { store, queuesIn } = this.#options;
    return store.read(async (tx) => {
      const before = (await tx.now()) - overdueMs;
      return tx.tasks.overdue(before, this.#orders[0] ?? [], (await queuesIn?.(tx)) ?? {}, limit);
    });
  }

  /**
   * Performs all due tasks, one per slot at a time, until the signal aborts. Then waits `drainMs`
   * for the current tasks, and aborts the rest. Returns even if a task ignores the abort.
   */
  async startWorker(options: WorkerLoopOptions): Promise<void> {
    const { signal, concurrency, pollMs } = options;
    const idle = new IdleSlots(this.#options.store, signal, pollMs);
    const drain = new Drain(signal, options.drainMs);
    const signals = { stopping: signal, ending: drain.ending };
    const loop: Loop = { signals, idle, limits: new RunLimits(options), name: options.name };
    const fill = async (kindsOf: () => readonly TaskKind[]) => {
      while (!signal.aborted) {
        const since = idle.notifications;
        const kinds = kindsOf();
        if (!(await this.#claimAndHandle(kinds, loop))) await idle.wait(kinds, since);
      }
    };
    const shared = Array.from({ length: concurrency }, () => fill(() => this.#nextOrder()));
    const reserved = TASK_KINDS.filter(
      (kind) => this.#options.handlers[kind] !== undefined,
    ).flatMap((kind) =>
      Array.from({ length: options.reservedSlots[kind] ?? 0 }, () => fill(() => [kind])),
    );
    const slots = [...shared, ...reserved];
    try {
      await Promise.race([Promise.all(slots), drain.over]);
      if (drain.isOver)
        this.#options.onError(
          unfinishedTasks([...this.#performances.values()].reduce((sum, count) => sum + count, 0)),
        );
    } finally {
      drain.cancel();
      idle.end();
    }
  }

  /**
   * Returns the kinds of tasks in the order of the next claim. Runs and notifications take turns,
   * so that a backlog of one does not delay the other.
   */
  #nextOrder(): readonly TaskKind[] {
    this.#turn = (this.#turn + 1) % this.#orders.length;
    return this.#orders[this.#turn] ?? [];
  }

  /**
   * Claims and performs a task. Returns false if no task is due or the store fails, because a
   * temporary failure must not end the worker.
   */
  async #claimAndHandle(kinds: readonly TaskKind[], loop: Loop): Promise<boolean> {
    const { signals, idle, limits } = loop;
    try {
      const claim = await limits.claim((limited) => this.#claimNext(kinds, loop, limited));
      if (claim === undefined) return false;
      idle.wake();
      try {
        await this.#performClaimed(claim, signals);
      } finally {
        limits.release(claim);
      }
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  async #claimAndPerform(
    kinds: readonly TaskKind[],
    only: TaskKey | undefined,
    signals: StopSignals,
  ): Promise<boolean> {
    const { store, lease } = this.#options;
    const options = only === undefined ? this.#nextTurn(kinds) : undefined;
    const claim = await claimTask(store, kinds, lease, only, this.#options.queuesIn, options);
    if (claim === undefined) return false;
    this.#recordTurn(claim, options);
    await this.#performClaimed(claim, signals);
    return true;
  }

  /** Claims the next task that the limits permit. */
  async #claimNext(
    kinds: readonly TaskKind[],
    { name }: Loop,
    limits: RunLimits,
  ): Promise<TaskClaim | undefined> {
    const { store, lease, queuesIn } = this.#options;
    const options: ClaimOptions = {
      ...this.#nextTurn(kinds),
      worker: name,
      withoutRunsOf: limits.fullTenants,
    };
    const permitted = async (tx: Tx) => limits.permittedQueues((await queuesIn?.(tx)) ?? {});
    const claim = await claimTask(store, kinds, lease, undefined, permitted, options);
    if (claim !== undefined) this.#recordTurn(claim, options);
    return claim;
  }

  /**
   * Returns the options of the next claim. Every second claim follows the turns of tenants; the
   * others claim the task with the earliest due time.
   */
  #nextTurn(kinds: readonly TaskKind[]): ClaimOptions {
    const key = kinds.join();
    const count = (this.#claims.get(key) ?? 0) + 1;
    this.#claims.set(key, count);
    return count % 2 === 1 ? {} : { afterTenants: this.#lastTurns };
  }

  /** Records the turn of a tenant. A claim by due time does not change the next turn. */
  #recordTurn({ kind, tenant }: TaskClaim, options: ClaimOptions = {}): void {
    if (options.afterTenants === undefined) return;
    this.#lastTurns = { ...this.#lastTurns, [kind]: tenant };
  }

  async #performClaimed(claim: TaskClaim, signals: StopSignals): Promise<void> {
    const key = JSON.stringify([claim.tenant, claim.kind, claim.id]);
    this.#performances.set(key, (this.#performances.get(key) ?? 0) + 1);
    try {
      await this.#handle(claim, signals);
    } finally {
      const count = (this.#performances.get(key) ?? 1) - 1;
      if (count > 0) this.#performances.set(key, count);
      else this.#performances.delete(key);
    }
  }

  async #giveUp(claim: TaskClaim, error: unknown): Promise<void> {
    await abandonTask(this.#options.store, claim, problemText(error));
    this.#options.onError(new TaskGivenUpError(claim, error), contextOf(claim));
  }

  #logLost(claim: TaskClaim, { reason }: ClaimLostError): void {
    const { logger } = this.#options;
    const fields = { ...contextOf(claim), fence: claim.fence };
    if (reason === 'revoked') {
      logger.info(
        { event: 'claim-revoked', ...fields },
        'The run was cancelled during its execution.',
      );
    } else {
      const message = 'The lease ended before the task. Another worker claims the task.';
      logger.warn({ event: 'lease-lost', ...fields }, message);
    }
  }

  async #handle(claim: TaskClaim, signals: StopSignals): Promise<void> {
    const { store, handlers, lease, onError } = this.#options;
    try {
      const handle = async (lost: AbortSignal) => {
        await handlers[claim.kind]?.(claim, { ...signals, lost });
      };
      const { ending } = signals;
      await withClaim({ store, claim, lease, onError, ending }, handle);
    } catch (error) {
      if (error instanceof ClaimLostError) return this.#logLost(claim, error);
      onError(error, contextOf(claim));
      if (isHopeless(claim, error)) await this.#giveUp(claim, error);
      else await postponeTask(store, claim, backoff(claim.attempts), problemText(error));
    }
  }
}

function contextOf({ tenant, kind, id }: TaskClaim): ErrorContext {
  return { tenant, ...(kind === 'run' ? { runId: id } : { taskKind: kind, taskId: id }) };
}

/** The state of the loop of a worker. */
interface Loop {
  readonly signals: StopSignals;
  readonly idle: IdleSlots;
  readonly limits: RunLimits;
  readonly name: string | undefined;
}

const MAX_PROBLEM_LENGTH = 500;

/** Returns the problem to store with the task, for operators. */
function problemText(error: unknown): string {
  return String(error).slice(0, MAX_PROBLEM_LENGTH);
}

function unfinishedTasks(count: number): Error {
  const what = count === 1 ? '1 task' : `${count} tasks`;
  return new Error(
    `The worker has stopped before the end of ${what}, which ignored the abort of the signal. ` +
      'Other workers claim such tasks after the end of their leases. Check tools, `deps` and `notify`.',
  );
}

/**
 * Returns true if a task must be given up. Runs and webhooks have their own limits. A failure of
 * the store does not count.
 */
function isHopeless({ kind, attempts }: TaskClaim, error: unknown): boolean {
  if (kind !== 'outbox' && kind !== 'expiry') return false;
  return (
    attempts >= MAX_ATTEMPTS && !(error instanceof DeskError && error.code.startsWith('store-'))
  );
}
