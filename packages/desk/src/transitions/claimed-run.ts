import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { TaskClaim, TaskRow } from '../model/task-row.ts';
import type { Tx } from '../store/store.ts';
import { RunChange } from './run-change.ts';

/** A run that is changed by the worker who has claimed it, and its task. */
export interface ClaimedRun {
  readonly change: RunChange;
  readonly task: TaskRow;
}

/** Locks the run of a claim; throws if the claim is no longer the last one. */
export async function claimedRun(tx: Tx, claim: TaskClaim): Promise<ClaimedRun> {
  const change = await RunChange.of(tx, claim.tenant, claim.id);
  if (change === undefined) throw new ClaimLostError();
  return { change, task: await claimedTask(tx, claim) };
}

/** Locks the task of a claim; throws if the claim is no longer the last one. */
export async function claimedTask(tx: Tx, claim: TaskClaim): Promise<TaskRow> {
  const task = await tx.tasks.lock(claim.tenant, claim.kind, claim.id);
  if (task === undefined || task.fence !== claim.fence) throw new ClaimLostError();
  return task;
}
