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
  #unlink: (() => void) | undefined;
  #controller: AbortController | undefined;
  #listeners: Set<(reason: unknown) => void> | undefined;

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
      else this.#unlink = this.#parent?.onCancel((reason) => this.cancel(reason));
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
    if (listeners) for (const listener of listeners) listener(reason);
  }

  /** Throws the reason if this was cancelled. */
  throwIfCancelled(): void {
    if (this.#cancelled) throw this.#reason;
    this.#parent?.throwIfCancelled();
  }

  /** Stops listening to what is above: the work is over. */
  release(): void {
    this.#unlink?.();
  }

  /** Calls `listener` when this is cancelled, at once if it already was; returns how to stop listening. */
  onCancel(listener: (reason: unknown) => void): () => void {
    if (this.#cancelled) {
      listener(this.#reason);
      return () => {};
    }
    let told = false;
    const once = (reason: unknown) => {
      if (told) return;
      told = true;
      listener(reason);
    };
    const unlink = this.#parent?.onCancel(once);
    this.#listeners ??= new Set();
    this.#listeners.add(once);
    return () => {
      unlink?.();
      this.#listeners?.delete(once);
    };
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

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
