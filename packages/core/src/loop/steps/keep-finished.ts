import type { Run } from '../run.ts';
import { recordWaiting } from './park.ts';

/** Does work on the run's round; should it fail, the results that are there, and which calls wait, are kept. */
export async function keepFinished<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { round } = run;
    const finished = round?.parts() ?? [];
    if (finished.length > 0) run.append(run.request(finished, { state: 'interrupted' }));
    if (round !== undefined && round.waiting.length > 0) {
      recordWaiting(run, round, finished.length > 0);
    }
    run.round = undefined;
    throw error;
  }
}
