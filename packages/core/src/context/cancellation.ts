/**
 * Tells work that it is no longer wanted.
 *
 * Cancellations form a tree: a run has one, a batch of tool calls has one below it, a call one below
 * that. An `AbortSignal` is made only when somebody asks for it.
 */
export class Cancellation {
  readonly #parent: Cancellation | undefined;
  #reason: unknown;
  #cancelled = false;
  /** While this listens to what is above. */
  #unlink: (() => void) | undefined;
  #controller: AbortController | undefined;
  /** Most often it is one. */
  #listeners: Listener | Set<Listener> | undefined;

  constructor(parent?: Cancellation) {
    this.#parent = parent;
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
    if (listeners instanceof Set) for (const { tell } of listeners) tell(reason);
    else listeners?.tell(reason);
  }

  /** Throws the reason if this was cancelled. */
  throwIfCancelled(): void {
    if (this.#cancelled) throw this.#reason;
    this.#parent?.throwIfCancelled();
  }

  /** Stops listening to what is above, unless somebody wants to know: the work is over. */
  release(): void {
    if (this.#listeners !== undefined) return;
    this.#unlink?.();
    this.#unlink = undefined;
  }

  /** Listens to what is above. */
  #link(): void {
    this.#unlink ??= this.#parent?.onCancel((reason) => this.cancel(reason));
  }

  /** Calls `listener` when this is cancelled, at once if it already was; returns how to stop listening. */
  onCancel(tell: (reason: unknown) => void): () => void {
    if (this.#cancelled) {
      tell(this.#reason);
      return NOTHING;
    }
    const listener = { tell };
    this.#add(listener);
    this.#link();
    return () => this.#remove(listener);
  }

  #add(listener: Listener): void {
    if (this.#listeners instanceof Set) this.#listeners.add(listener);
    else if (this.#listeners === undefined) this.#listeners = listener;
    else this.#listeners = new Set([this.#listeners, listener]);
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
    return new Promise<T>((resolve, reject) => {
      const stop = this.onCancel(reject);
      work.then(
        (value) => {
          stop();
          resolve(value);
        },
        (error) => {
          stop();
          reject(error);
        },
      );
    });
  }
}

/** Who wants to know of a cancellation. */
interface Listener {
  readonly tell: (reason: unknown) => void;
}

const NOTHING = () => {};

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
