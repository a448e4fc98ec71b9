import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { TaskClaim, TaskKind } from '../model/task-row.ts';
import type { Store, TaskKey } from '../store/store.ts';
import { claimTask, postponeTask } from '../transitions/tasks.ts';
import { backoff } from './backoff.ts';
import { Drain } from './drain.ts';
import { Nap } from './nap.ts';
import { withClaim } from './with-claim.ts';

/** Signals for a task that is being done. */
export interface TaskSignals {
  /** Aborts when another worker has the task, or when it was revoked. */
  readonly lost: AbortSignal;
  /** Aborts when the worker is to stop soon: what can be repeated should end. */
  readonly stopping: AbortSignal;
  /** Aborts when the worker stops, whatever is under way. */
  readonly ending: AbortSignal;
}

/** Does a task. */
export type TaskHandler = (claim: TaskClaim, signals: TaskSignals) => Promise<void>;

/** What a worker works with. */
export interface WorkerOptions {
  readonly store: Store;
  /** What to do with each kind of task; others are left to other workers. */
  readonly handlers: Readonly<Partial<Record<TaskKind, TaskHandler>>>;
  /** How long a claim holds without a sign of life, in milliseconds. */
  readonly lease: number;
  /** Told of what goes wrong outside of a run. */
  readonly onError: (error: unknown) => void;
}

const NEVER = new AbortController().signal;
const NEVER_STOPS: StopSignals = { stopping: NEVER, ending: NEVER };

type StopSignals = Omit<TaskSignals, 'lost'>;

/** How a worker keeps working. */
export interface KeepWorkingOptions {
  readonly signal: AbortSignal;
  readonly concurrency: number;
  readonly pollMs: number;
  /** How long tasks under way have when the signal aborts, in milliseconds. */
  readonly drainMs: number;
}

/** Takes what is due and does it. Any number of workers share a store, in any number of processes. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #kinds: readonly TaskKind[];
  /** How many tasks are being done. */
  #underWay = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    // Expiries first: they are short, and runs wait for them.
    const kinds: readonly TaskKind[] = ['expiry', 'run', 'outbox', 'webhook'];
    this.#kinds = kinds.filter((kind) => options.handlers[kind] !== undefined);
  }

  /** Does one task that is due, if there is one. */
  async doNext(): Promise<boolean> {
    return this.#claimAndDo(this.#kinds, undefined, NEVER_STOPS);
  }

  /** Does this task, if it is due and nobody has it. */
  async doOnly(task: TaskKey): Promise<boolean> {
    return this.#claimAndDo([task[1]], task, NEVER_STOPS);
  }

  /**
   * Does all that is due, `concurrency` tasks at a time, until the signal aborts. Then it waits `drainMs`
   * for tasks under way, ends those that are left, and returns, whether they have ended or not.
   */
  async keepWorking(options: KeepWorkingOptions): Promise<void> {
    const { signal, concurrency, pollMs } = options;
    const nap = new Nap(this.#options.store, signal);
    const drain = new Drain(signal, options.drainMs);
    const signals = { stopping: signal, ending: drain.ending };
    const slots = Array.from({ length: concurrency }, async () => {
      while (!signal.aborted) if (!(await this.#try(signals, nap))) await nap.take(pollMs);
    });
    try {
      await Promise.race([Promise.all(slots), drain.over]);
      if (drain.isOver) this.#options.onError(stillUnderWay(this.#underWay));
    } finally {
      drain.cancel();
      nap.end();
    }
  }

  /** A store that fails for a while does not end the worker. */
  async #try(signals: StopSignals, nap: Nap): Promise<boolean> {
    try {
      return await this.#claimAndDo(this.#kinds, undefined, signals, () => nap.wakeOne());
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  async #claimAndDo(
    kinds: readonly TaskKind[],
    only: TaskKey | undefined,
    signals: StopSignals,
    claimed: () => void = () => {},
  ): Promise<boolean> {
    const { store, lease } = this.#options;
    const claim = await claimTask(store, kinds, lease, only);
    if (claim === undefined) return false;
    claimed();
    this.#underWay += 1;
    try {
      await this.#do(claim, signals);
    } finally {
      this.#underWay -= 1;
    }
    return true;
  }

  async #do(claim: TaskClaim, signals: StopSignals): Promise<void> {
    const { store, handlers, lease, onError } = this.#options;
    try {
      const handle = async (lost: AbortSignal) => {
        await handlers[claim.kind]?.(claim, { ...signals, lost });
      };
      await withClaim(store, claim, lease, handle, signals.ending);
    } catch (error) {
      if (error instanceof ClaimLostError) return;
      onError(error);
      await postponeTask(store, claim, backoff(claim.tries));
    }
  }
}

function stillUnderWay(count: number): Error {
  const what = count === 1 ? '1 task' : `${count} tasks`;
  return new Error(
    `The worker has stopped with ${what} still under way that ignored the abort of their signals. ` +
      'Other workers take them over when their leases have ended. Check tools, `deps` and `notify`.',
  );
}
