import type { RunEnd } from '../events/run-end.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { applyResults } from './steps/apply-results.ts';
import { callTools } from './steps/call-tools.ts';
import { recordInterruptedRound } from './steps/park.ts';
import { requestModel } from './steps/request-model.ts';
import { resolveDeferred } from './steps/resolve-deferred.ts';
import { startRun } from './steps/start-run.ts';

/** Executes a run until it finishes or parks, and returns its end. */
export async function runLoop(run: Run): Promise<RunEnd> {
  let step: Step;
  try {
    if (run.toolset.needsOpening) await run.toolset.open();
    step = await startRun(run);
    while (!isEnd(step)) step = await executeStep(run, step);
  } catch (error) {
    await closeLoop(run, 'failed');
    throw error;
  }
  if (run.toolset.isOpen) await run.toolset.close(false);
  return step;
}

/**
 * Executes a run like {@link runLoop}, and yields each step before executing it.
 *
 * A caller that returns between two steps leaves the same history behind as an error: the results and the pending calls
 * so far are recorded.
 */
export async function* stepsOf(run: Run): AsyncGenerator<Step, void, void> {
  let state: LoopState = 'stopped';
  try {
    if (run.toolset.needsOpening) await run.toolset.open();
    let step = await startRun(run);
    while (!isEnd(step)) {
      yield step;
      step = await executeStep(run, step);
    }
    state = 'ended';
    yield step;
  } catch (error) {
    state = 'failed';
    throw error;
  } finally {
    await closeLoop(run, state);
  }
}

/** Executes a step, and returns the next one. */
function executeStep(run: Run, step: Exclude<Step, RunEnd>): Promise<Step> {
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

/** Returns whether a step is the end of its run. */
export function isEnd(step: Step): step is RunEnd {
  return step.kind === 'finished' || step.kind === 'parked';
}

/** How a loop is left: the run has an end, the run failed, or the caller stopped it. */
type LoopState = 'ended' | 'failed' | 'stopped';

async function closeLoop(run: Run, state: LoopState): Promise<void> {
  try {
    if (state !== 'ended') await recordInterruptedRound(run);
  } finally {
    if (run.toolset.isOpen) await run.toolset.close(state === 'failed');
  }
}
