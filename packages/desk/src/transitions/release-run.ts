import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { RunProblem, RunRow } from '../model/run-row.ts';
import type { TaskClaim, TaskRow } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { claimedRun } from './claimed-run.ts';
import type { RunChange } from './run-change.ts';

/** Options of `releaseRun`. */
export interface ReleaseOptions {
  /** The time until the next attempt, in milliseconds. */
  readonly delay: number;
  /** The problem; `undefined` if the attempt does not count. */
  readonly problem?: RunProblem | undefined;
  /** The number of attempts after which it is stuck. */
  readonly maxAttempts: number;
}

/** Releases a run for another attempt; after `maxAttempts` it is stuck. */
export function releaseRun(store: Store, claim: TaskClaim, given: ReleaseOptions): Promise<RunRow> {
  return store.write(async (tx) => {
    const { change, task } = await claimedRun(tx, claim);
    // The run has parked, and only the response of the store was lost.
    if (change.run.state !== 'running') throw new ClaimLostError();
    const { delay, problem, maxAttempts } = given;
    change.set({ error: problem });
    if (problem !== undefined && task.attempts >= maxAttempts) {
      await markStuck(change, task, problem);
    } else {
      const attempts = problem === undefined ? task.attempts - 1 : task.attempts;
      change.record('run-released', { fence: claim.fence, failed: problem !== undefined });
      await change.makeReady(delay, Math.max(attempts, 0));
    }
    return change.save();
  });
}

/** Marks a run as stuck, until an operator retries or cancels it. */
export async function markStuck(
  change: RunChange,
  task: TaskRow,
  error: RunProblem,
): Promise<void> {
  change.move('stuck');
  change.set({ error });
  change.record('run-stuck', { attempts: task.attempts });
  const { now: givenUpAt } = change;
  await change.tx.tasks.put({ ...task, due: undefined, givenUpAt, problem: error.message });
  await change.emit('run-stuck', {});
}
