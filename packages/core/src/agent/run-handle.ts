import type { Run } from '../loop/run.ts';
import { runLoop } from '../loop/run-loop.ts';
import type { Ended } from '../capabilities/ended.ts';
import type { Step } from '../loop/step.ts';
import type { Message } from '../messages/message.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import { resultOfRun } from './run-result.ts';

/** A run that is under way, with everything that has to be put away at its end. */
export class RunHandle<out Result> {
  readonly run: Run;
  #release: () => void;
  #result: Result | undefined;
  readonly #loop: AsyncGenerator<Step, Ended, void>;

  constructor(run: Run, release: () => void) {
    this.run = run;
    // Once only: a run that was stopped comes to its end as well.
    this.#release = () => {
      this.#release = () => {};
      release();
    };
    this.#loop = runLoop(run);
  }

  get messages(): readonly Message[] {
    return this.run.messages;
  }

  get usage(): RunUsage {
    return this.run.usage;
  }

  /** How the run ended, as soon as that is known. */
  get result(): Result | undefined {
    return this.#result;
  }

  /** Takes the run to its next step. */
  async next(): Promise<IteratorResult<Step, Ended>> {
    try {
      const step = await this.#loop.next();
      const { value } = step;
      if (value?.kind === 'finished' || value?.kind === 'parked') this.#end(value);
      if (step.done) this.#release();
      return step;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Takes the run to its end. */
  async finish(): Promise<Result> {
    try {
      for (;;) {
        const step = await this.#loop.next();
        if (step.done) return this.#end(step.value);
      }
    } finally {
      this.#release();
    }
  }

  /** Stops the run where it is, and waits until it has put everything away. */
  async stop(): Promise<void> {
    if (this.#result === undefined) {
      this.run.cancellation.cancel(new DOMException('The run was stopped.', 'AbortError'));
    }
    try {
      // A stopped run has no result; the type of the generator wants one.
      await this.#loop.return(undefined as never);
    } finally {
      this.#release();
    }
  }

  #end(ended: Ended): Result {
    // The plan made sure that the run ended in one of the declared ways.
    this.#result ??= resultOfRun(this.run, ended) as Result;
    return this.#result;
  }
}
