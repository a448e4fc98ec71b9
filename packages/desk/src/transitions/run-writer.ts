import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { ClaimedRun } from './claimed-run.ts';

/** A change of a claimed run. */
export type ClaimedChange<Result = void> = (run: ClaimedRun) => Promise<Result>;

/** The time until a deferred change is written, if no other change is written before, in milliseconds. */
const FLUSH_AFTER_MS = 50;

/** A change that waits for its transaction. */
interface QueuedChange {
  readonly change: ClaimedChange<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes the changes of a run that this worker has claimed, in their order. Every change is fenced: it throws a
 * `ClaimLostError` if another worker has claimed the run.
 *
 * Changes that are requested while a transaction commits share the next one, so a batch of parallel calls needs few
 * transactions.
 */
export class RunWriter {
  readonly store: Store;
  readonly claim: TaskClaim;
  readonly #onWritten: () => void;
  #deferred: readonly ClaimedChange[] = [];
  #queue: QueuedChange[] = [];
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;

  /** `onWritten` is called after every transaction. */
  constructor(store: Store, claim: TaskClaim, onWritten: () => void = () => {}) {
    this.store = store;
    this.claim = claim;
    this.#onWritten = onWritten;
  }

  /**
   * Adds a change that is written with the next one, or after a short time. Use it for changes that a crash may
   * lose: the next attempt of the run repeats them.
   */
  defer(change: ClaimedChange): void {
    this.#deferred = [...this.#deferred, change];
    this.#timer ??= setTimeout(() => {
      // A change that cannot be written stays deferred, and the next write reports the problem.
      this.flush().catch(() => {});
    }, FLUSH_AFTER_MS);
  }

  /** Writes the deferred changes. */
  async flush(): Promise<void> {
    if (this.#deferred.length > 0) await this.write(async () => {});
  }

  /** Writes a change, after the deferred ones, in one transaction. */
  write<Result>(change: ClaimedChange<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // The queue holds changes with different results; `#commit` passes each result to its own `resolve`.
      const resolveAny = resolve as (result: unknown) => void;
      this.#queue.push({ change, resolve: resolveAny, reject });
      void this.#writeQueue();
    });
  }

  async #writeQueue(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    // Parallel calls request their changes one after the other, before other tasks of the event loop.
    await Promise.resolve();
    try {
      while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0));
    } finally {
      this.#isWriting = false;
    }
  }

  async #commit(queued: readonly QueuedChange[]): Promise<void> {
    const failure: ChangeFailure = { error: undefined };
    try {
      const changes = queued.map(({ change }) => change);
      const results = await this.#transact(changes, failure);
      for (const [index, { resolve }] of queued.entries()) resolve(results[index]);
    } catch (error) {
      // If the store failed, the changes may have been committed, so they must not be repeated.
      const isOfChange = error === failure.error;
      // One of several changes failed. Each has its own transaction now, so the others succeed.
      if (isOfChange && queued.length > 1) for (const one of queued) await this.#commit([one]);
      else for (const { reject } of queued) reject(error);
    }
  }

  async #transact(
    changes: readonly ClaimedChange<unknown>[],
    failure: ChangeFailure,
  ): Promise<readonly unknown[]> {
    const { store, claim } = this;
    const deferred = this.#deferred;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const about = { tenant: claim.tenant, runId: claim.id };
    const results = await store.write(
      async (tx) => {
        const run = await ClaimedRun.of(tx, claim);
        for (const change of deferred) await change(run);
        const all: unknown[] = [];
        try {
          for (const change of changes) all.push(await change(run));
        } catch (error) {
          failure.error = error;
          throw error;
        }
        await run.change.save();
        return all;
      },
      { about },
    );
    this.#deferred = this.#deferred.slice(deferred.length);
    this.#onWritten();
    return results;
  }
}

/** The error that a change of a transaction threw last. */
interface ChangeFailure {
  error: unknown;
}
