import type { Cancellation } from '../context/cancellation.ts';
import type { Environment } from '../context/environment.ts';
import { invariant } from '../internal/invariant.ts';
import type { RetryOutcome } from '../outcomes/outcome.ts';

/** Returns the text that reports a timeout to the model. */
export function timeoutText(timeout: number): string {
  return `The tool took longer than ${timeout} ms and was stopped.`;
}

/** Returns the outcome of a step that exceeded its time limit. The model may call the tool again. */
export function timedOut(timeout: number | undefined): RetryOutcome & { readonly content: string } {
  const limit = invariant(timeout, 'a step without a time limit has an outcome');
  return { kind: 'retry', content: timeoutText(limit) };
}

/** A timer that ends when its call is cancelled: it must not keep the process alive. */
export class CallTimer {
  readonly #controller = new AbortController();
  readonly #stopListening: () => void;

  constructor(cancellation: Cancellation) {
    this.#stopListening = cancellation.onCancel(() => this.#abort());
  }

  /** Waits until the timeout has passed or the timer is stopped. */
  sleep(environment: Environment, timeout: number): Promise<void> {
    return environment.sleep(timeout, this.#controller.signal);
  }

  stop(): void {
    this.#stopListening();
    this.#abort();
  }

  #abort(): void {
    this.#controller.abort(null);
  }
}

/** A step of the environment that has a time limit. */
export interface TimedStep<T> {
  /** The value of the step; `undefined` if the time was over first. */
  readonly value: Promise<T | void>;
  /** Stops the timer, once the value has arrived. */
  stopTimer(): void;
}

/**
 * Waits for a step, but no longer than its time limit.
 *
 * Not `async`: `value` comes straight from the environment, which can only await its own promises in `all`.
 */
export function withTimeout<T>(
  environment: Environment,
  step: Promise<T>,
  timeout: number,
  cancellation: Cancellation,
): TimedStep<T> {
  const timer = new CallTimer(cancellation);
  return {
    value: environment.race<T | void>([step, timer.sleep(environment, timeout)]),
    stopTimer: () => timer.stop(),
  };
}
