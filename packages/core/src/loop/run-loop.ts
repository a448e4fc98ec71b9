import type { Ended } from '../capabilities/ended.ts';
import { aroundRun } from './around-run.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { applyResults } from './steps/apply-results.ts';
import { callTools } from './steps/call-tools.ts';
import { requestModel } from './steps/request-model.ts';
import { resolveDeferred } from './steps/resolve-deferred.ts';
import { startRun } from './steps/start-run.ts';

/** Takes a run from step to step until it ends, showing each step to the caller before it is taken. */
export async function* runLoop(run: Run): AsyncGenerator<Step, Ended, void> {
  await run.makeHooks();
  const { aroundRun: hooks } = run.hooks;
  return yield* hooks === undefined ? takeSteps(run) : aroundRun(run, hooks, takeSteps(run));
}

async function* takeSteps(run: Run): AsyncGenerator<Step, Ended, void> {
  await run.openToolset();
  let failed = true;
  try {
    for (let step = await startRun(run); ; step = await take(run, step)) {
      failed = false;
      yield step;
      if (step.kind === 'finished' || step.kind === 'parked') return step;
      failed = true;
    }
  } finally {
    await run.closeToolset(failed);
  }
}

function take(run: Run, step: Exclude<Step, Ended>): Promise<Step> {
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
