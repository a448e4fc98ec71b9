import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { RunProblem, RunRow } from '../model/run-row.ts';
import type { TaskClaim, TaskRow } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { claimedRun } from './claimed-run.ts';
import type { RunChange } from './run-change.ts';

/** Why and how a run is given back. */
export interface GivenBack {
  /** How long nobody should try, in milliseconds. */
  readonly delay: number;
  /** What went wrong; `undefined` if nothing did and the try does not count. */
  readonly problem?: RunProblem | undefined;
  /** After how many tries it is stuck. */
  readonly mostTries: number;
}

/** Gives a run back that could not be taken to its next stop; after too many tries it is stuck. */
export function giveBackRun(store: Store, claim: TaskClaim, given: GivenBack): Promise<RunRow> {
  return store.write(async (tx) => {
    const { change, task } = await claimedRun(tx, claim);
    // It has parked, and only the word of it was lost: there is nothing to give back.
    if (change.run.state !== 'running') throw new ClaimLostError();
    const { delay, problem, mostTries } = given;
    change.set({ error: problem });
    if (problem !== undefined && task.tries >= mostTries) {
      await stick(change, task, problem);
    } else {
      const tries = problem === undefined ? task.tries - 1 : task.tries;
      change.note('run-given-back', { fence: claim.fence, failed: problem !== undefined });
      await change.makeReady(delay, Math.max(tries, 0));
    }
    return change.save();
  });
}

/** Sets a run aside until somebody has looked at it. */
export async function stick(change: RunChange, task: TaskRow, error: RunProblem): Promise<void> {
  change.move('stuck');
  change.set({ error });
  change.note('run-stuck', { tries: task.tries });
  await change.tx.tasks.put({ ...task, due: undefined });
  await change.tell('run-stuck');
}
