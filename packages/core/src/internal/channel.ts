/**
 * Passes values from one producer to one consumer.
 *
 * After each value, the producer can wait until the consumer requests the next one.
 */
export class Channel<T> {
  readonly #queue: T[] = [];
  #taker: ((result: Taken<T> | Promise<Taken<T>>) => void) | undefined;
  #resolveDemand: (() => void) | undefined;
  #demand: Promise<void> | undefined;
  #end: End | undefined;

  /** Adds a value. The promise resolves when the consumer requests the next one; awaiting it is optional. */
  put(value: T): Promise<void> | undefined {
    if (this.#end !== undefined) return undefined;
    const taker = this.#taker;
    if (taker === undefined) {
      this.#queue.push(value);
    } else {
      this.#taker = undefined;
      taker({ value, done: false });
    }
    this.#demand ??= new Promise((resolve) => {
      this.#resolveDemand = resolve;
    });
    return this.#demand;
  }

  /** Returns the next value. Await it before the next call. */
  take(): Promise<Taken<T>> {
    if (this.#queue.length > 0) {
      // The queue is not empty, so its first value is a `T`.
      return Promise.resolve({ value: this.#queue.shift() as T, done: false });
    }
    if (this.#end !== undefined) return finalResult(this.#end);
    this.#release();
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }

  /** Ends the channel. With an error, the consumer gets it after the last value. */
  end(error?: { readonly error: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = error ?? {};
    this.#taker?.(finalResult(this.#end));
    this.#taker = undefined;
    this.#release();
  }

  /** Resolves the promise that the producer awaits. */
  #release(): void {
    const resolveDemand = this.#resolveDemand;
    this.#resolveDemand = undefined;
    this.#demand = undefined;
    resolveDemand?.();
  }
}

type Taken<T> = IteratorResult<T, undefined>;

interface End {
  readonly error?: unknown;
}

/** Returns the last result of the consumer. */
function finalResult(end: End): Promise<IteratorReturnResult<undefined>> {
  return 'error' in end
    ? Promise.reject(end.error)
    : Promise.resolve({ value: undefined, done: true });
}
