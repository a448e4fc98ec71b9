import type { RunEnd } from '../events/run-end.ts';
import type { Run } from './run.ts';
import { isEnd, type Step } from './step.ts';
import { applyResults } from './steps/apply-results.ts';
import { callTools } from './steps/call-tools.ts';
import { recordInterruptedRound } from './steps/record-interrupted-round.ts';
import { requestModel } from './steps/request-model.ts';
import { resolveDeferred } from './steps/resolve-deferred.ts';
import { startRun } from './steps/start-run.ts';

/**
 * Executes a run until it finishes or parks, and yields each step before executing it.
 *
 * A caller that returns between two steps leaves the same history behind as an error: the results and the pending calls
 * so far are recorded.
 */
export async function* runLoop(run: Run): AsyncGenerator<Step, void, void> {
  let hasEnded = false;
  let hasFailed = false;
  try {
    await run.toolset.open();
    for (let step = await startRun(run); ; step = await executeStep(run, step)) {
      hasEnded = isEnd(step);
      yield step;
      if (isEnd(step)) return;
    }
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    try {
      if (!hasEnded) await recordInterruptedRound(run);
    } finally {
      await run.toolset.close(hasFailed);
    }
  }
}

async function executeStep(run: Run, step: Exclude<Step, RunEnd>): Promise<Step> {
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
