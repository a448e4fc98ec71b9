import type { Run } from '../loop/run.ts';
import { runWithHooks } from '../loop/run-with-hooks.ts';
import type { RunEnd } from '../events/run-end.ts';
import { isEnd, type Step } from '../loop/step.ts';
import type { Message } from '../messages/message.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import { resultOfRun } from './run-result.ts';

/** A run that is under way, with everything that has to be put away at its end. */
export class RunHandle<out Result> {
  readonly run: Run;
  readonly #onEnd: () => void;
  #isOver = false;
  #result: Result | undefined;
  readonly #steps: AsyncGenerator<Step, void, void>;
  /** What is being done. */
  #work: Promise<unknown> | undefined;

  /** `onEnd` is called once, after the run has ended in any way. */
  constructor(run: Run, onEnd: () => void) {
    this.run = run;
    this.#onEnd = onEnd;
    this.#steps = runWithHooks(run);
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

  /** Takes the run to its next step; `undefined` when it is over. */
  next(): Promise<Step | undefined> {
    const taking = this.#next();
    this.#work = taking;
    return taking;
  }

  /** Takes the run to its end. */
  finish(): Promise<Result> {
    const finishing = this.#finish();
    this.#work = finishing;
    return finishing;
  }

  /** Stops the run where it is, and waits until it has put everything away. */
  async stop(): Promise<void> {
    if (this.#result === undefined) {
      this.run.cancellation.cancel(new DOMException('The run was stopped.', 'AbortError'));
    }
    try {
      await this.#work?.catch(() => {});
      await this.#steps.return();
    } finally {
      this.#release();
    }
  }

  async #next(): Promise<Step | undefined> {
    // One after the other, whoever asks.
    await this.#work?.catch(() => {});
    try {
      const { done, value: step } = await this.#steps.next();
      if (done) {
        this.#release();
        return undefined;
      }
      if (isEnd(step)) this.#end(step);
      return step;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async #finish(): Promise<Result> {
    try {
      for await (const step of this.#steps) {
        if (isEnd(step)) return this.#end(step);
      }
      throw new DOMException('The run was stopped.', 'AbortError');
    } finally {
      this.#release();
    }
  }

  /** Once only: a run that was stopped comes to its end as well. */
  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.run.cancellation.release();
    this.#onEnd();
  }

  #end(ended: RunEnd): Result {
    // The plan made sure that the run ended in one of the declared ways.
    this.#result ??= resultOfRun(this.run, ended) as Result;
    return this.#result;
  }
}
