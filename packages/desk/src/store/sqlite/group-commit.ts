import type { Db } from '../sql/database.ts';

/** A write that waits for its transaction. */
interface QueuedWrite {
  readonly work: (db: Db) => Promise<unknown>;
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
  readonly transact: (work: (db: Db) => Promise<void>) => Promise<void>;
}

/** The writes that share a transaction at most. */
const MAX_WRITES = 64;

/**
 * Executes writes that wait at the same time in one transaction, so that they share the time to write to the disk. Each
 * has a savepoint: if it fails, only its own changes are undone. A write is acknowledged after the commit.
 */
export class GroupCommit {
  readonly #deps: GroupCommitDeps;
  readonly #queue: QueuedWrite[] = [];

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps;
  }

  /** Executes a write with the next commit. */
  add<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // The result of `work` is passed to its own `resolve`.
      const write = { work, resolve: resolve as (result: unknown) => void, reject };
      this.#queue.push(write);
      this.#commit().catch((error: unknown) => this.#giveUp(write, error));
    });
  }

  /** Rejects a write whose transaction could not begin, unless another transaction has taken it. */
  #giveUp(write: QueuedWrite, error: unknown): void {
    const index = this.#queue.indexOf(write);
    if (index < 0) return;
    this.#queue.splice(index, 1);
    write.reject(error);
  }

  async #commit(): Promise<void> {
    let queued: readonly QueuedWrite[] = [];
    const acknowledge: (() => void)[] = [];
    try {
      await this.#deps.transact(async (db) => {
        queued = this.#queue.splice(0, MAX_WRITES);
        for (const write of queued) acknowledge.push(await this.#execute(db, write, queued.length));
      });
    } catch (error) {
      for (const { reject } of queued) reject(error);
      // Nothing was taken from the queue, for example because another process writes for too long.
      if (queued.length === 0) throw error;
      return;
    }
    for (const one of acknowledge) one();
  }

  /** Executes a write; returns the function that acknowledges it. */
  async #execute(
    db: Db,
    { work, resolve, reject }: QueuedWrite,
    groupSize: number,
  ): Promise<() => void> {
    const { savepoints } = this.#deps;
    // A single write needs no savepoint: if it fails, the transaction is rolled back.
    if (groupSize === 1) {
      const result = await work(db);
      return () => resolve(result);
    }
    savepoints.execute('savepoint queued_write');
    try {
      const result = await work(db);
      savepoints.execute('release queued_write');
      return () => resolve(result);
    } catch (error) {
      // Some errors end the whole transaction.
      if (!savepoints.isInTransaction) throw error;
      savepoints.execute('rollback to queued_write');
      savepoints.execute('release queued_write');
      return () => reject(error);
    }
  }
}
