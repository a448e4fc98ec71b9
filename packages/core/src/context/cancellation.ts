import { isPromise } from '../errors/show-value.ts';

/**
 * The cancellation of a run, of a batch of tool calls, or of a call.
 *
 * Cancellations form a tree in this order. A cancellation is linked to its parent from its first
 * listener until it is released, so that a long run retains nothing of finished work.
 */
export class Cancellation {
  readonly #parent: Cancellation | undefined;
  #listeners: Set<CancelListener> | undefined;
  #cancelled = false;
  #reason: unknown;
  #controller: AbortController | undefined;
  /** Removes the link to the parent; `undefined` without a link. */
  #unlink: (() => void) | undefined;

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

  /** Cancels this and everything below it. Later calls have no effect. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = [...(this.#listeners ?? [])];
    this.#listeners = undefined;
    this.release();
    for (const listener of listeners) notify(listener, reason);
  }

  /** Throws the reason if this was cancelled. */
  throwIfCancelled(): void {
    if (this.#cancelled) throw this.#reason;
    this.#parent?.throwIfCancelled();
  }

  /** Unlinks from the parent, unless listeners remain. Call it when the work has ended. */
  release(): void {
    if (this.#listeners !== undefined && this.#listeners.size > 0) return;
    this.#unlink?.();
    this.#unlink = undefined;
  }

  /**
   * Calls `listener` when this is cancelled, or immediately if it already is. Returns a function
   * that removes it.
   */
  onCancel(listener: CancelListener): () => void {
    if (this.#cancelled) {
      listener(this.#reason);
      return () => {};
    }
    // Wrapped, so that a function that is added twice is called twice.
    const added = (reason: unknown) => listener(reason);
    const listeners = (this.#listeners ??= new Set());
    listeners.add(added);
    this.#link();
    return () => listeners.delete(added);
  }

  /**
   * Awaits `work` until this is cancelled, and then rejects with the reason. Returns a value that
   * is not a promise unchanged.
   */
  guard<T>(work: PromiseLike<T>): Promise<T>;
  guard<T>(work: T | PromiseLike<T>): T | Promise<T>;
  guard<T>(work: T | PromiseLike<T>): T | Promise<T> {
    if (!isPromise(work)) {
      this.throwIfCancelled();
      return work;
    }
    return new Promise<T>((resolve, reject) => {
      const stopListening = this.onCancel(reject);
      work.then(
        (value) => {
          stopListening();
          resolve(value);
        },
        (error) => {
          stopListening();
          reject(error);
        },
      );
    });
  }

  #link(): void {
    if (this.#unlink !== undefined || this.#parent === undefined) return;
    const unlink = this.#parent.onCancel((reason) => this.cancel(reason));
    // The parent may have been cancelled before, and this with it.
    if (!this.#cancelled) this.#unlink = unlink;
  }
}

type CancelListener = (reason: unknown) => void;

/** Calls a listener. If it fails, the others are still called: the run ends with the reason. */
function notify(listener: CancelListener, reason: unknown): void {
  try {
    listener(reason);
  } catch {
    // The listener is not awaited, so nothing could handle its failure.
  }
}
