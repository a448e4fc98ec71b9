import type { Step } from '../loop/step.ts';
import type { Message } from '../messages/message.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { RunHandle } from './run-handle.ts';
import type { RunResult } from './run-result.ts';

/**
 * A run, step by step: each step is handed out before it is taken.
 *
 * Ending the loop early stops the run.
 */
export class RunIterator<out Output = unknown> implements AsyncIterableIterator<Step, undefined> {
  readonly #start: () => RunHandle<Output> | Promise<RunHandle<Output>>;
  #handle: RunHandle<Output> | undefined;
  #result: RunResult<Output> | undefined;

  /** Iterators come from `agent.iter`. */
  constructor(start: () => RunHandle<Output> | Promise<RunHandle<Output>>) {
    this.#start = start;
  }

  /** The conversation so far; also when the run has failed. */
  get messages(): readonly Message[] {
    return this.#handle?.messages ?? [];
  }

  get usage(): RunUsage | undefined {
    return this.#handle?.usage;
  }

  /** How the run ended; `undefined` while it is under way. */
  get result(): RunResult<Output> | undefined {
    return this.#result;
  }

  async next(): Promise<IteratorResult<Step, undefined>> {
    if (this.#result !== undefined) return { done: true, value: undefined };
    this.#handle ??= await this.#start();
    const next = await this.#handle.next();
    if (!next.done) return next;
    this.#result = next.value;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Step, undefined>> {
    this.#handle?.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
