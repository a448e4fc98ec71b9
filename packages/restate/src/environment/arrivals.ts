import { setImmediate as nextTurn } from 'node:timers/promises';
import { RestatePromise } from '@restatedev/restate-sdk';

/** A promise of Restate, and the functions that settle the promise which the run has for it. */
interface Waiter {
  readonly promise: RestatePromise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Awaits all promises of Restate in one place and delivers their results one at a time, in the
 * order of the journal.
 *
 * Restate permits one awaited promise per invocation. The run has processed one result before it
 * receives the next, so a replay makes the same requests in the same order.
 */
export class Arrivals {
  readonly #waiters = new Map<number, Waiter>();
  readonly #numbers = new WeakMap<Promise<unknown>, number>();
  #count = 0;
  #isWaiting = false;

  /** Returns a promise that settles like the one of Restate. */
  add<T>(promise: RestatePromise<T>): Promise<T> {
    const number = this.#count++;
    const arrival = new Promise<T>((resolve, reject) => {
      // The map holds promises of different types; each waiter gets the value of its own promise.
      this.#waiters.set(number, { promise, resolve: resolve as Waiter['resolve'], reject });
    });
    this.#numbers.set(arrival, number);
    void this.#wait();
    return arrival;
  }

  /** Drops a promise that lost a race, so that a replay does not execute it again. */
  drop(arrival: Promise<unknown>): void {
    const number = this.#numbers.get(arrival);
    if (number !== undefined) this.#waiters.delete(number);
  }

  async #wait(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    try {
      // Promises that are added in one turn are awaited together.
      for (await nextTurn(); this.#waiters.size > 0; await nextTurn()) await this.#deliverNext();
    } catch (error) {
      // The invocation was cancelled, or the attempt has ended.
      for (const { reject } of this.#waiters.values()) reject(error);
      this.#waiters.clear();
    } finally {
      this.#isWaiting = false;
    }
    if (this.#waiters.size > 0) void this.#wait();
  }

  async #deliverNext(): Promise<void> {
    const all = [...this.#waiters].map(([number, { promise }]) =>
      promise.map((value, failure) => ({ number, value, failure })),
    );
    const { number, value, failure } = await RestatePromise.race(all);
    const waiter = this.#waiters.get(number);
    this.#waiters.delete(number);
    if (failure === undefined) waiter?.resolve(value);
    else waiter?.reject(failure);
  }
}
