import type { RunEnd } from '../events/run-end.ts';
import type { Run } from '../loop/run.ts';
import { executeRun, executeSteps, isEnd } from '../loop/run-loop.ts';
import type { Step } from '../loop/step.ts';
import { type Message, trust } from '../messages/message.ts';
import type { RunUsage } from '../usage/usage.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { MayDefer, OutputOf } from '../output/output-spec.ts';

/** A started run, with the cleanup at its end. */
export class RunHandle<out Result> {
  readonly run: Run;
  readonly #onEnd: () => void;
  #isReleased = false;
  #result: Result | undefined;
  /** The steps, if the caller requests them one by one. */
  #steps: AsyncGenerator<Step, void, void> | undefined;
  /** The step that executes, or the rest of the run. */
  #work: Promise<unknown> | undefined;

  /** `onEnd` is called once, after the run has finished, parked, failed or stopped. */
  constructor(run: Run, onEnd: () => void) {
    this.run = run;
    this.#onEnd = onEnd;
  }

  get messages(): readonly Message[] {
    return this.run.messages;
  }

  get usage(): RunUsage {
    return this.run.usage;
  }

  /** The result; `undefined` before the run has ended. */
  get result(): Result | undefined {
    return this.#result;
  }

  /** Executes the run up to its next step, and returns the step; `undefined` after the end. */
  next(): Promise<Step | undefined> {
    const next = this.#next();
    this.#work = next;
    return next;
  }

  /** Executes the run to its end. */
  finish(): Promise<Result> {
    const finishing = this.#finish();
    this.#work = finishing;
    return finishing;
  }

  /** Stops the run, and waits until it has closed its toolset. */
  async stop(): Promise<void> {
    if (this.#result === undefined) {
      this.run.cancellation.cancel(new DOMException('The run was stopped.', 'AbortError'));
    }
    try {
      await this.#work?.catch(() => {});
      await this.#steps?.return();
    } finally {
      this.#release();
    }
  }

  async #next(): Promise<Step | undefined> {
    // Concurrent callers get one step after the other.
    await this.#work?.catch(() => {});
    try {
      this.#steps ??= executeSteps(this.run);
      const { done, value: step } = await this.#steps.next();
      if (done) {
        this.#release();
        return undefined;
      }
      if (isEnd(step)) this.#setResult(step);
      return step;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async #finish(): Promise<Result> {
    try {
      return this.#setResult(await executeRun(this.run));
    } finally {
      this.#release();
    }
  }

  /** Cleans up once: a stopped run also reaches its end. */
  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.run.cancellation.release();
    this.#onEnd();
  }

  #setResult(end: RunEnd): Result {
    const { run } = this;
    const result =
      end.kind === 'finished'
        ? new RunResult(run, end.output)
        : new ParkedResult(run, end.requests);
    // The output plan of the run matches the declared outputs.
    this.#result ??= result as Result;
    return this.#result;
  }
}

/** The common part of all run results. */
export abstract class EndedRun<out Output> {
  readonly output: Output;
  /** The whole conversation, this run included. Pass it as `messageHistory` to the next run. */
  readonly messages: readonly Message[];
  readonly usage: RunUsage;
  readonly runId: string;
  readonly conversationId: string;
  readonly #firstNewIndex: number;

  /** @internal Runs create their results. */
  constructor(run: Run, output: Output) {
    this.output = output;
    this.messages = trust([...run.messages]);
    this.usage = run.usage;
    this.runId = run.runId;
    this.conversationId = run.conversationId;
    this.#firstNewIndex = run.firstNewIndex;
  }

  /** The messages that this run added. */
  get newMessages(): readonly Message[] {
    return this.messages.slice(this.#firstNewIndex);
  }
}

/** The result of a run that finished with an output. */
export class RunResult<out Output = unknown> extends EndedRun<Output> {
  readonly status = 'finished';
}

/**
 * The result of a run that parked. Store its messages, and resume the run, in any process, once you have the decisions
 * and results.
 */
export class ParkedResult extends EndedRun<DeferredToolRequests> {
  readonly status = 'parked';
  /** The calls that need a decision or a result. */
  declare readonly output: DeferredToolRequests;
}

/** The result of a run with these outputs; `status` distinguishes the variants. */
export type RunResultOf<Output> =
  | RunResult<OutputOf<Output>>
  | (MayDefer<Output> extends true ? ParkedResult : never);
