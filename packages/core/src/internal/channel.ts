/**
 * Hands values from one producer to one consumer.
 *
 * The producer is asked to wait after each value until the consumer wants the next one, so nothing
 * runs ahead of the consumer.
 */
export class Channel<T> {
  readonly #queue: T[] = [];
  #taker: ((result: Taken<T> | Promise<Taken<T>>) => void) | undefined;
  #wanted: (() => void) | undefined;
  #demand: Promise<void> | undefined;
  #end: End | undefined;

  /** Adds a value; the promise is there to be waited for, and need not be. */
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
      this.#wanted = resolve;
    });
    return this.#demand;
  }

  /** The next value; only one may be waited for at a time. */
  take(): Promise<Taken<T>> {
    if (this.#queue.length > 0) {
      // It is not empty, as was just asked.
      return Promise.resolve({ value: this.#queue.shift()!, done: false });
    }
    if (this.#end !== undefined) return lastOf(this.#end);
    this.#release();
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }

  /** Nothing more comes; with an error, that is the last thing the consumer learns. */
  end(error?: { readonly error: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = error ?? {};
    this.#taker?.(lastOf(this.#end));
    this.#taker = undefined;
    this.#release();
  }

  /** Lets the producer go on. */
  #release(): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    this.#demand = undefined;
    wanted?.();
  }
}

type Taken<T> = IteratorResult<T, undefined>;

interface End {
  readonly error?: unknown;
}

/** What a consumer learns last. */
function lastOf(end: End): Promise<IteratorReturnResult<undefined>> {
  return 'error' in end
    ? Promise.reject(end.error)
    : Promise.resolve({ value: undefined, done: true });
}
