import type { Desk, Store } from '@holdpoint/desk';

/** The process has died. */
class Crash extends Error {
  override name = 'Crash';
}

/** The write at which a process dies, or the call. */
export interface CrashPlan {
  /** The number of the write, from 1. With 0, the process dies while the tool executes. */
  readonly nth: number;
  readonly side: 'before' | 'after';
}

/** A process with desks. Once it is dead, nothing of it reaches the store, and none of its tools executes. */
export class MortalProcess {
  readonly desks: Map<string, Desk> = new Map();
  readonly store: Store;
  readonly #unfinished = new Set<Promise<unknown>>();
  #plan: CrashPlan | undefined;
  #writes = 0;
  #isDead = false;

  constructor(store: Store) {
    this.store = {
      write: (work, options) => this.#write(() => this.#tracked(store.write(work, options))),
      read: async (work, options) => {
        this.requireAlive();
        return this.#tracked(store.read(work, options));
      },
      onDue: () => () => {},
      markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
      async close() {},
      async [Symbol.asyncDispose]() {},
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Sets where the process dies from now on. */
  plan(plan: CrashPlan | undefined): void {
    this.#plan = plan;
    this.#writes = 0;
  }

  requireAlive(): void {
    if (this.#isDead) throw new Crash();
  }

  /** Ends the process in the middle of a call, if that is planned. */
  dieInCall(): void {
    if (this.#plan?.nth !== 0) return;
    this.#isDead = true;
    throw new Crash();
  }

  /**
   * Waits for transactions that were in progress when the process died. They may still be
   * committed.
   */
  async atRest(): Promise<void> {
    await Promise.allSettled(this.#unfinished);
  }

  async #write<Result>(write: () => Promise<Result>): Promise<Result> {
    this.requireAlive();
    this.#writes += 1;
    if (this.#plan === undefined || this.#writes !== this.#plan.nth) return write();
    if (this.#plan.side === 'before') this.#isDead = true;
    this.requireAlive();
    await write();
    this.#isDead = true;
    throw new Crash();
  }

  #tracked<Result>(work: Promise<Result>): Promise<Result> {
    this.#unfinished.add(work);
    return work.finally(() => this.#unfinished.delete(work));
  }
}
