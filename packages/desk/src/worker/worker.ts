import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { ReportError } from '../errors/report-error.ts';
import type { TaskClaim, TaskKind } from '../model/task-row.ts';
import type { Store, TaskKey } from '../store/store.ts';
import { claimTask, postponeTask } from '../transitions/tasks.ts';
import { backoff } from './backoff.ts';
import { Nap } from './nap.ts';
import { withClaim } from './with-claim.ts';

/** Does a task. `lost` aborts when somebody else has it, `stopping` when the worker is to end soon. */
export type TaskHandler = (
  claim: TaskClaim,
  signals: { readonly lost: AbortSignal; readonly stopping: AbortSignal },
) => Promise<void>;

/** What a worker works with. */
export interface WorkerOptions {
  readonly store: Store;
  /** What to do with each kind of task; others are left to other workers. */
  readonly handlers: Readonly<Partial<Record<TaskKind, TaskHandler>>>;
  /** How long a claim holds without a sign of life, in milliseconds. */
  readonly lease: number;
  /** Told of what goes wrong outside of a run. */
  readonly onError: ReportError;
}

const NEVER = new AbortController().signal;

/** Takes what is due and does it. Any number of workers share a store, in any number of processes. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #kinds: readonly TaskKind[];

  constructor(options: WorkerOptions) {
    this.#options = options;
    // Expiries first: they are short, and runs wait for them.
    const kinds: readonly TaskKind[] = ['expiry', 'run', 'outbox', 'webhook'];
    this.#kinds = kinds.filter((kind) => options.handlers[kind] !== undefined);
  }

  /** Does one task that is due, if there is one. */
  async doNext(): Promise<boolean> {
    return this.#claimAndDo(this.#kinds, undefined, NEVER);
  }

  /** Does this task, if it is due and nobody has it. */
  async doOnly(task: TaskKey): Promise<boolean> {
    return this.#claimAndDo([task[1]], task, NEVER);
  }

  /** Does all that is due, `concurrency` tasks at a time, until the signal aborts. */
  async keepWorking(options: {
    readonly signal: AbortSignal;
    readonly concurrency: number;
    readonly pollMs: number;
  }): Promise<void> {
    const { signal, concurrency, pollMs } = options;
    const nap = new Nap(this.#options.store, signal);
    try {
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          while (!signal.aborted) if (!(await this.#try(signal, nap))) await nap.take(pollMs);
        }),
      );
    } finally {
      nap.end();
    }
  }

  /** A store that fails for a while does not end the worker. */
  async #try(signal: AbortSignal, nap: Nap): Promise<boolean> {
    try {
      return await this.#claimAndDo(this.#kinds, undefined, signal, () => nap.wakeOne());
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  async #claimAndDo(
    kinds: readonly TaskKind[],
    only: TaskKey | undefined,
    stopping: AbortSignal,
    claimed: () => void = () => {},
  ): Promise<boolean> {
    const { store, lease } = this.#options;
    const claim = await claimTask(store, kinds, lease, only);
    if (claim === undefined) return false;
    claimed();
    await this.#do(claim, stopping);
    return true;
  }

  async #do(claim: TaskClaim, stopping: AbortSignal): Promise<void> {
    const { store, handlers, lease, onError } = this.#options;
    try {
      const work = async (lost: AbortSignal) => {
        await handlers[claim.kind]?.(claim, { lost, stopping });
      };
      await withClaim(store, claim, lease, work, onError);
    } catch (error) {
      if (error instanceof ClaimLostError) return;
      onError(error, { tenant: claim.tenant, ...(claim.kind === 'run' && { runId: claim.id }) });
      await postponeTask(store, claim, backoff(claim.tries));
    }
  }
}
