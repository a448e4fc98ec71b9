import type { Run } from '../loop/run.ts';
import { runLoop } from '../loop/run-loop.ts';
import type { Finished, Step } from '../loop/step.ts';
import type { Message } from '../messages/message.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import { RunResult } from './run-result.ts';

/** A run that is under way, with everything that has to be put away at its end. */
export class RunHandle<out Output> {
  readonly run: Run;
  readonly #release: () => void;
  readonly #loop: AsyncGenerator<Step, Finished, void>;

  constructor(run: Run, release: () => void) {
    this.run = run;
    this.#release = release;
    this.#loop = runLoop(run);
  }

  get messages(): readonly Message[] {
    return this.run.messages;
  }

  get usage(): RunUsage {
    return this.run.usage;
  }

  /** Takes the run to its next step; the result once it is finished. */
  async next(): Promise<IteratorResult<Step, RunResult<Output>>> {
    try {
      const step = await this.#loop.next();
      if (!step.done) return step;
      this.#release();
      return { done: true, value: this.#result(step.value) };
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Takes the run to its end. */
  async finish(): Promise<RunResult<Output>> {
    try {
      for (;;) {
        const step = await this.#loop.next();
        if (step.done) return this.#result(step.value);
      }
    } finally {
      this.#release();
    }
  }

  /** Stops the run where it is. */
  stop(): void {
    this.run.cancellation.cancel(new DOMException('The run was stopped.', 'AbortError'));
    this.#release();
  }

  #result(step: Finished): RunResult<Output> {
    // The plan made sure that the output is one of the declared ones.
    return new RunResult(this.run, step.output as Output);
  }
}
