import type { Step } from '../loop/step.ts';
import type { Message } from '../messages/message.ts';
import type { RunUsage } from '../usage/usage.ts';
import type { RunHandle } from './run-handle.ts';

/**
 * A run that executes step by step. Each step is returned before it executes.
 *
 * Ending the loop early stops the run. Its `messages` then hold the results of the calls that executed
 * and the pending calls, so that another run can continue from them.
 */
export class RunIterator<out Result = unknown> implements AsyncIterableIterator<Step, undefined> {
  readonly #start: () => Promise<RunHandle<Result>>;
  #handle: RunHandle<Result> | undefined;
  #starting: Promise<RunHandle<Result>> | undefined;
  #result: Result | undefined;
  #ended = false;

  /** @internal Use `agent.iter`. */
  constructor(start: () => Promise<RunHandle<Result>>) {
    this.#start = start;
  }

  /** The conversation so far, also after the run has failed. */
  get messages(): readonly Message[] {
    return this.#handle?.messages ?? [];
  }

  get usage(): RunUsage | undefined {
    return this.#handle?.usage;
  }

  /** The result; `undefined` before the run has ended. */
  get result(): Result | undefined {
    return this.#result;
  }

  /** Executes the current step, and returns the next one. */
  async next(): Promise<IteratorResult<Step, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      this.#starting ??= this.#start();
      this.#handle = await this.#starting;
      if (this.#ended) return { done: true, value: undefined };
      const step = await this.#handle.next();
      this.#result = this.#handle.result;
      if (step !== undefined) return { done: false, value: step };
      this.#ended = true;
      return { done: true, value: undefined };
    } catch (error) {
      this.#ended = true;
      throw error;
    }
  }

  /** Stops the run. */
  async return(): Promise<IteratorResult<Step, undefined>> {
    this.#ended = true;
    // A run that is still starting is stopped once it has started.
    const handle = await this.#starting?.catch(() => undefined);
    await handle?.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
