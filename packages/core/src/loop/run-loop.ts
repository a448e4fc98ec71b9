import { chain, type MaybePromise } from '../context/chain.ts';
import type { RunEnd } from '../capabilities/ended.ts';
import { HookedSteps } from './around-run.ts';
import type { Run } from './run.ts';
import { isEnd, type Step, type Steps } from './step.ts';
import { applyResults } from './steps/apply-results.ts';
import { callTools } from './steps/call-tools.ts';
import { keepFinished } from './steps/keep-finished.ts';
import { requestModel } from './steps/request-model.ts';
import { resolveDeferred } from './steps/resolve-deferred.ts';
import { startRun } from './steps/start-run.ts';

/** The steps of a run, with the hooks around it. */
export function runLoop(run: Run): Steps {
  const steps = new RunLoop(run);
  return run.mayHaveHooksAround ? new HookedSteps(run, steps) : steps;
}

/** Takes a run from step to step until it ends. A generator would cost a tenth more for each step. */
class RunLoop implements Steps {
  readonly #run: Run;
  #step: Step | undefined;
  #isOver = false;

  constructor(run: Run) {
    this.#run = run;
  }

  next(): Promise<Step | undefined> {
    const last = this.#step;
    if (this.#isOver || (last !== undefined && isEnd(last))) return this.#end();
    try {
      const taking = last === undefined ? this.#begin() : take(this.#run, last);
      return Promise.resolve(taking).then(
        (step) => this.#took(step),
        (error) => this.#failed(error),
      );
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** In one function: to ask for each step would cost a promise more for it. */
  async finish(): Promise<RunEnd | undefined> {
    if (this.#isOver) return undefined;
    try {
      let step = this.#step;
      while (step === undefined || !isEnd(step)) {
        const taking = step === undefined ? this.#begin() : take(this.#run, step);
        // A step that waits for nothing costs no turn of the promise queue.
        step = taking instanceof Promise ? await taking : taking;
      }
      this.#step = step;
      return step;
    } catch (error) {
      return this.#failed(error);
    }
  }

  #begin(): MaybePromise<Step> {
    return chain(this.#run.toolset.open(), () => startRun(this.#run));
  }

  #took(step: Step): Step {
    this.#step = step;
    return step;
  }

  async #failed(error: unknown): Promise<never> {
    this.#isOver = true;
    try {
      await keepFinished(this.#run);
    } finally {
      await this.#run.toolset.close(true);
    }
    throw error;
  }

  async #end(): Promise<undefined> {
    if (!this.#isOver) await this.stop();
    return undefined;
  }

  /** A caller that leaves between two steps keeps the results and the pending calls, as after an error. */
  async stop(): Promise<void> {
    const isLeftEarly = !this.#isOver && this.#step !== undefined && !isEnd(this.#step);
    this.#isOver = true;
    try {
      if (isLeftEarly) await keepFinished(this.#run);
    } finally {
      await this.#run.toolset.close(false);
    }
  }
}

function take(run: Run, step: Exclude<Step, RunEnd>): MaybePromise<Step> {
  run.cancellation.throwIfCancelled();
  switch (step.kind) {
    case 'request-model':
      return requestModel(run, step);
    case 'call-tools':
      return callTools(run, step);
    case 'apply-results':
      return applyResults(run, step);
    case 'resolve-deferred':
      return resolveDeferred(run, step);
  }
}
