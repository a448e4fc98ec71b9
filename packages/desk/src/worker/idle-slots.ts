import type { TaskKind } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';

interface Waiter {
  readonly kinds: readonly TaskKind[];
  readonly wake: () => void;
}

/**
 * The slots of a worker that found no task. They wait until a task may be due: until the store
 * reports a change, or until the next poll. Then few slots try to claim, and a slot that claims a
 * task wakes others.
 */
export class IdleSlots {
  readonly #waiters = new Set<Waiter>();
  readonly #stopListening: () => void;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #notifications = 0;
  readonly #wakeAll = () => {
    for (const { wake } of this.#waiters) wake();
  };

  constructor(store: Store, signal: AbortSignal, pollMs: number) {
    this.#signal = signal;
    this.#stopListening = store.onDue(({ hasDueTask }) => {
      if (!hasDueTask) return;
      this.#notifications += 1;
      this.wake();
    });
    // One timer for all slots: a worker with many slots reads no more often than one with few.
    this.#timer = setInterval(() => this.wake(), pollMs);
    signal.addEventListener('abort', this.#wakeAll);
  }

  /** Wakes as few slots as can claim every kind of task that waiting slots can claim. */
  wake(): void {
    const covered = new Set<TaskKind>();
    const byBreadth = [...this.#waiters].toSorted((a, b) => b.kinds.length - a.kinds.length);
    for (const { kinds, wake } of byBreadth) {
      if (kinds.every((kind) => covered.has(kind))) continue;
      for (const kind of kinds) covered.add(kind);
      wake();
    }
  }

  /** The number of notifications so far. Read it before a claim, and pass it to `wait` if the claim found no task. */
  get notifications(): number {
    return this.#notifications;
  }

  /**
   * Waits until a task of these kinds may be due, or until the signal aborts. It does not wait if there was a
   * notification after `since`: the claim may have read the database before that task was committed.
   */
  wait(kinds: readonly TaskKind[], since: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#signal.aborted) return resolve();
      // Other tasks of the event loop execute before the next claim.
      if (this.#notifications !== since) return setImmediate(resolve);
      const waiter: Waiter = {
        kinds,
        wake: () => {
          this.#waiters.delete(waiter);
          // Other tasks of the event loop execute before the next claim.
          setImmediate(resolve);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  end(): void {
    clearInterval(this.#timer);
    this.#stopListening();
    this.#signal.removeEventListener('abort', this.#wakeAll);
  }
}
