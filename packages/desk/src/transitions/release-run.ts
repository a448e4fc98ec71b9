import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { RunProblem, RunRow } from '../model/run-row.ts';
import type { ClaimedRun } from './claimed-run.ts';
import type { RunWriter } from './run-writer.ts';

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
export function releaseRun(writer: RunWriter, given: ReleaseOptions): Promise<RunRow> {
  const { fence } = writer.claim;
  return writer.write(async (claimed) => {
    const { change, task } = claimed;
    // The run has parked, and only the response of the store was lost.
    if (change.run.state !== 'running') throw new ClaimLostError();
    const { delay, problem, maxAttempts } = given;
    change.set({ error: problem });
    if (problem !== undefined && task.attempts >= maxAttempts) {
      await markStuck(claimed, problem);
    } else {
      const attempts = problem === undefined ? task.attempts - 1 : task.attempts;
      change.record('run-released', { fence, failed: problem !== undefined });
      await change.makeReady(delay, Math.max(attempts, 0));
    }
    return change.run;
  });
}

/** Marks a run as stuck, until an operator retries or cancels it. */
export async function markStuck(claimed: ClaimedRun, error: RunProblem): Promise<void> {
  const { change, task } = claimed;
  change.move('stuck');
  change.set({ error });
  change.record('run-stuck', { attempts: task.attempts });
  const { now: givenUpAt } = change;
  await claimed.setTask({ due: undefined, givenUpAt, problem: error.message });
  await change.emit('run-stuck', {});
}
