import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { TaskClaim, TaskRow } from '../model/task-row.ts';
import type { Tx } from '../store/store.ts';
import { RunChange } from './run-change.ts';

/** A claimed run and its task, for changes by the worker that has the claim. */
export class ClaimedRun {
  readonly change: RunChange;
  #task: TaskRow;

  private constructor(change: RunChange, task: TaskRow) {
    this.change = change;
    this.#task = task;
  }

  /** Locks the run of a claim; throws if the claim is no longer the last one. */
  static async of(tx: Tx, claim: TaskClaim): Promise<ClaimedRun> {
    const change = await RunChange.of(tx, claim.tenant, claim.id);
    if (change === undefined) throw new ClaimLostError();
    return new ClaimedRun(change, await claimedTask(tx, claim));
  }

  get tx(): Tx {
    return this.change.tx;
  }

  /** The task with the changes so far. */
  get task(): TaskRow {
    return this.#task;
  }

  /** Changes fields of the task. */
  async setTask(
    fields: Pick<Partial<TaskRow>, 'due' | 'attempts' | 'givenUpAt' | 'problem'>,
  ): Promise<void> {
    this.#task = { ...this.#task, ...fields };
    await this.tx.tasks.put(this.#task);
  }
}

/** Locks the task of a claim; throws if the claim is no longer the last one. */
export async function claimedTask(tx: Tx, claim: TaskClaim): Promise<TaskRow> {
  const task = await tx.tasks.lock(claim.tenant, claim.kind, claim.id);
  if (task === undefined || task.fence !== claim.fence) throw new ClaimLostError();
  return task;
}
