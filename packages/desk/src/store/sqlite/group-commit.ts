/** A write that waits for its transaction. */
interface QueuedWrite {
  readonly work: () => Promise<unknown>;
  readonly committed: (result: unknown) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Dependencies of {@link GroupCommit}. */
export interface GroupCommitDeps {
  /** The connection of the transactions. */
  readonly savepoints: {
    execute(statement: string): void;
    readonly isInTransaction: boolean;
  };
  /** Executes the callback in a transaction, after earlier ones. */
  readonly transact: (work: () => Promise<void>) => Promise<void>;
}

/** The writes that share a transaction at most. */
const MAX_WRITES = 64;

/** The outcome of a write in a transaction that is not committed yet. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * A queue of writes. Concurrent writes execute in one transaction, so that they share the time to
 * write to the disk. Each write has a savepoint. If a write fails, only its own changes are undone.
 * A write is acknowledged after the commit.
 */
export class GroupCommit {
  readonly #deps: GroupCommitDeps;
  #queue: QueuedWrite[] = [];
  #committing: Promise<void> | undefined;

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps;
  }

  /**
   * Executes a write with the next commit. `committed` is called after the commit, before any write of the
   * transaction is acknowledged.
   */
  add<Result>(work: () => Promise<Result>, committed: (result: Result) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      // Each result is passed to the functions of its write.
      const own = { committed, resolve } as Pick<QueuedWrite, 'committed' | 'resolve'>;
      this.#queue.push({ work, reject, ...own });
      this.#schedule();
    });
  }

  /** Waits until the queue is empty. */
  async settle(): Promise<void> {
    while (this.#committing !== undefined) await this.#committing;
  }

  #schedule(): void {
    if (this.#committing !== undefined || this.#queue.length === 0) return;
    this.#committing = this.#commit();
  }

  async #commit(): Promise<void> {
    // If the transaction cannot begin, the writes that waited for it fail.
    let writes: readonly QueuedWrite[] = [...this.#queue];
    const outcomes: Outcome[] = [];
    try {
      await this.#deps.transact(async () => {
        writes = this.#queue.slice(0, MAX_WRITES);
        for (const write of writes) outcomes.push(await this.#execute(write, writes.length));
      });
    } catch (error) {
      outcomes.length = 0;
      for (const _ of writes) outcomes.push({ error });
    }
    this.#queue = this.#queue.slice(writes.length);
    this.#committing = undefined;
    this.#schedule();
    acknowledge(writes, outcomes);
  }

  async #execute({ work }: QueuedWrite, groupSize: number): Promise<Outcome> {
    // A single write needs no savepoint: if it fails, the transaction is rolled back.
    if (groupSize === 1) return { result: await work() };
    const { savepoints } = this.#deps;
    savepoints.execute('savepoint queued_write');
    try {
      const result = await work();
      savepoints.execute('release queued_write');
      return { result };
    } catch (error) {
      // Some errors end the whole transaction.
      if (!savepoints.isInTransaction) throw error;
      savepoints.execute('rollback to queued_write');
      savepoints.execute('release queued_write');
      return { error };
    }
  }
}

/** Reports all changes of a transaction, and then acknowledges its writes. */
function acknowledge(writes: readonly QueuedWrite[], outcomes: readonly Outcome[]): void {
  const pairs = writes.flatMap((write, index) => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : [{ write, outcome }];
  });
  for (const { write, outcome } of pairs) {
    if ('result' in outcome) write.committed(outcome.result);
  }
  for (const { write, outcome } of pairs) {
    if ('error' in outcome) write.reject(outcome.error);
    else write.resolve(outcome.result);
  }
}
