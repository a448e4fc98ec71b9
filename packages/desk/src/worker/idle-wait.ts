import type { Store } from '../store/store.ts';

/** Lets those who found nothing to do wait until there may be something. */
export class Nap {
  readonly #wakers = new Set<() => void>();
  readonly #forget: () => void;
  readonly #signal: AbortSignal;
  #notifications = 0;
  readonly #wakeAll = () => {
    for (const wake of this.#wakers) wake();
  };

  constructor(store: Store, signal: AbortSignal) {
    this.#signal = signal;
    this.#forget = store.onDue(({ hasDueTask }) => {
      if (!hasDueTask) return;
      this.#notifications += 1;
      this.wakeOne();
    });
    signal.addEventListener('abort', this.#wakeAll);
  }

  /** Has one of them look: who finds something has the next one look, before all look for one thing. */
  wakeOne(): void {
    const [wake] = this.#wakers;
    wake?.();
  }

  /** The number of notifications so far. Read it before a claim, and pass it to `take` if the claim found no task. */
  get notifications(): number {
    return this.#notifications;
  }

  /**
   * Waits for so many milliseconds, or until a task may be due, or until the signal aborts. It does not wait if there
   * was a notification after `since`: the claim may have read the database before that task was committed.
   */
  take(ms: number, since: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#signal.aborted) return resolve();
      // Other tasks of the event loop get their turn before the next look.
      if (this.#notifications !== since) return setImmediate(resolve);
      const wake = () => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        // Other tasks of the event loop get their turn before the next look.
        setImmediate(resolve);
      };
      const timer = setTimeout(wake, ms);
      this.#wakers.add(wake);
    });
  }

  end(): void {
    this.#forget();
    this.#signal.removeEventListener('abort', this.#wakeAll);
  }
}
