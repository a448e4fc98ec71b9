/**
 * Tells work that it is no longer wanted.
 *
 * Cancellations form a tree: a run has one, a batch of tool calls has one below it, a call one below
 * that. An `AbortSignal` is made only when somebody asks for it.
 */
export class Cancellation implements Listener {
  readonly #parent: Cancellation | undefined;
  /** Whether it can come to be cancelled while something is waited for. */
  readonly #isPossible: boolean;
  #reason: unknown;
  #cancelled = false;
  /** Whether this listens to what is above. */
  #isLinked = false;
  #controller: AbortController | undefined;
  /** Most often it is one. */
  #listeners: Listener | Set<Listener> | undefined;

  /** `isHeld`: whether anybody may cancel it while work is under way; what is above may in any case. */
  constructor(parent?: Cancellation, isHeld = true) {
    this.#parent = parent;
    this.#isPossible = isHeld || (parent !== undefined && parent.#isPossible);
  }

  get cancelled(): boolean {
    return this.#cancelled || (this.#parent?.cancelled ?? false);
  }

  /** A signal that aborts when this is cancelled. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort(this.#reason);
      else this.#link();
    }
    return this.#controller.signal;
  }

  /** Cancels this and everything below it; only the first time counts. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    this.#listeners = undefined;
    const each = listeners instanceof Set ? listeners : listeners === undefined ? [] : [listeners];
    for (const listener of each) notify(listener, reason);
  }

  /** Throws the reason if this was cancelled. */
  throwIfCancelled(): void {
    if (this.#cancelled) throw this.#reason;
    this.#parent?.throwIfCancelled();
  }

  /** Stops listening to what is above, unless somebody wants to know: the work is over. */
  release(): void {
    if (this.#listeners !== undefined || !this.#isLinked) return;
    this.#isLinked = false;
    // What is linked has something above it.
    this.#parent!.#remove(this);
  }

  /** Listens to what is above. */
  #link(): void {
    if (this.#isLinked || this.#parent === undefined) return;
    this.#isLinked = true;
    this.#parent.#listen(this);
  }

  /** Calls `cancel` when this is cancelled, at once if it already was; returns how to stop listening. */
  onCancel(cancel: (reason: unknown) => void): () => void {
    const listener = { cancel };
    this.#listen(listener);
    return () => this.#remove(listener);
  }

  #listen(listener: Listener): void {
    if (this.#cancelled) return listener.cancel(this.#reason);
    if (this.#listeners instanceof Set) this.#listeners.add(listener);
    else if (this.#listeners === undefined) this.#listeners = listener;
    else this.#listeners = new Set([this.#listeners, listener]);
    this.#link();
  }

  #remove(listener: Listener): void {
    if (this.#listeners instanceof Set) {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#listeners = undefined;
    } else if (this.#listeners === listener) {
      this.#listeners = undefined;
    }
    // Where nobody listens, what is above does not have to know of it.
    if (this.#controller === undefined) this.release();
  }

  /** The value, or a promise for it that does not outlast a cancellation. */
  wait<T>(value: T | PromiseLike<T>): T | Promise<T> {
    return isPromiseLike(value) ? this.guard(value) : value;
  }

  /** Waits for `work`, but no longer than until this is cancelled; then it rejects with the reason. */
  guard<T>(work: PromiseLike<T>): Promise<T> {
    // To guard what nobody can call off would cost two promises more.
    if (!this.#isPossible) return Promise.resolve(work);
    return new Promise<T>((resolve, reject) => {
      const listener = { cancel: reject };
      this.#listen(listener);
      work.then(
        (value) => {
          this.#remove(listener);
          resolve(value);
        },
        (error) => {
          this.#remove(listener);
          reject(error);
        },
      );
    });
  }
}

/** Notifies a listener. Its failure must not keep the others from being notified: the run ends with the reason. */
function notify(listener: Listener, reason: unknown): void {
  try {
    listener.cancel(reason);
  } catch {
    // Nothing waits for a listener, so nothing could handle its failure.
  }
}

/** Who wants to know of a cancellation. */
interface Listener {
  cancel(reason: unknown): void;
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
