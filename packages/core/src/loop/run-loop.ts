import type { Run } from './run.ts';
import type { Finished, Step } from './step.ts';
import { callTools } from './steps/call-tools.ts';
import { requestModel } from './steps/request-model.ts';
import { startRun } from './steps/start-run.ts';

/** Takes a run from step to step until it finishes, showing each step to the caller before it is taken. */
export async function* runLoop(run: Run): AsyncGenerator<Step, Finished, void> {
  for (let step = await startRun(run); ; step = await take(run, step)) {
    yield step;
    if (step.kind === 'finished') return step;
  }
}

function take(run: Run, step: Exclude<Step, Finished>): Promise<Step> {
  run.cancellation.throwIfCancelled();
  switch (step.kind) {
    case 'request-model':
      return requestModel(run, step);
    case 'call-tools':
      return callTools(run, step);
  }
}
