import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { applyResults } from './steps/apply-results.ts';
import { callTools } from './steps/call-tools.ts';
import { recordInterruptedRound } from './steps/park.ts';
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
    let step = await startRun(run);
    while (!hasEnded) {
      hasEnded = step.kind === 'finished' || step.kind === 'parked';
      yield step;
      if (!hasEnded) run.cancellation.throwIfCancelled();
      switch (step.kind) {
        case 'request-model':
          step = await requestModel(run, step);
          break;
        case 'call-tools':
          step = await callTools(run, step);
          break;
        case 'apply-results':
          step = await applyResults(run, step);
          break;
        case 'resolve-deferred':
          step = await resolveDeferred(run, step);
          break;
      }
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
