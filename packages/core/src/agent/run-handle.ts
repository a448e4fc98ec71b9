import type { Run } from '../loop/run.ts';
import { runLoop } from '../loop/run-loop.ts';
import type { RunEnd } from '../capabilities/ended.ts';
import { isEnd, type Step, type Steps } from '../loop/step.ts';
import type { Message } from '../messages/message.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import { resultOfRun } from './run-result.ts';

/** A run that is under way, with everything that has to be put away at its end. */
export class RunHandle<out Result> {
  readonly run: Run;
  readonly #whenOver: (() => void) | undefined;
  #isOver = false;
  #result: Result | undefined;
  readonly #steps: Steps;
  /** What is being done. */
  #work: Promise<unknown> | undefined;

  /** `whenOver` is called when the run has ended, however it has. */
  constructor(run: Run, whenOver: (() => void) | undefined) {
    this.run = run;
    this.#whenOver = whenOver;
    this.#steps = runLoop(run);
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
      await this.#steps.stop();
    } finally {
      this.#release();
    }
  }

  async #next(): Promise<Step | undefined> {
    // One after the other, whoever asks.
    await this.#work?.catch(() => {});
    try {
      const step = await this.#steps.next();
      if (step === undefined) this.#release();
      else if (isEnd(step)) this.#end(step);
      return step;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async #finish(): Promise<Result> {
    try {
      const ended = await this.#steps.finish();
      if (ended === undefined) throw new DOMException('The run was stopped.', 'AbortError');
      const result = this.#end(ended);
      await this.#steps.stop();
      return result;
    } finally {
      this.#release();
    }
  }

  /** Once only: a run that was stopped comes to its end as well. */
  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.run.cancellation.release();
    this.#whenOver?.();
  }

  #end(ended: RunEnd): Result {
    // The plan made sure that the run ended in one of the declared ways.
    this.#result ??= resultOfRun(this.run, ended) as Result;
    return this.#result;
  }
}
