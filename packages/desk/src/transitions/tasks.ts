import { ClaimLostError } from '../errors/claim-lost-error.ts';
import type { ClaimOptions, TaskClaim, TaskKind, TaskQueues } from '../model/task-row.ts';
import type { RunReference, Store, TaskKey, Tx } from '../store/store.ts';
import { claimedTask } from './claimed-run.ts';

/** Claims one due task of these kinds. */
export function claimTask(
  store: Store,
  kinds: readonly TaskKind[],
  lease: number,
  only?: TaskKey | undefined,
  queuesIn?: ((tx: Tx) => Promise<TaskQueues>) | undefined,
  options?: ClaimOptions | undefined,
): Promise<TaskClaim | undefined> {
  return store.write(
    async (tx) => tx.tasks.claim(kinds, lease, only, await queuesIn?.(tx), options),
    { about: 'tasks' },
  );
}

/** Sets the end of a claim's lease to `lease` milliseconds from now. */
export function extendTask(
  store: Store,
  claim: TaskClaim,
  lease: number,
): Promise<'extended' | 'lost'> {
  return ifHeld(async () => {
    await store.write((tx) => setDue(tx, claim, lease), { about: runOf(claim) });
    return 'extended' as const;
  });
}

/** Throws if a claim is no longer valid: the task was claimed again, has ended, or was revoked. */
export async function requireClaim(store: Store, claim: TaskClaim): Promise<void> {
  const task = await store.read((tx) => tx.tasks.get(claim.tenant, claim.kind, claim.id));
  if (task?.due === undefined || task.fence !== claim.fence) throw new ClaimLostError();
}

/** Has a task be tried again after a while, and stores the problem of this attempt. */
export function postponeTask(
  store: Store,
  claim: TaskClaim,
  delay: number,
  problem?: string | undefined,
): Promise<'postponed' | 'lost'> {
  return ifHeld(async () => {
    await store.write((tx) => setDue(tx, claim, delay, problem), { about: runOf(claim) });
    return 'postponed' as const;
  });
}

function runOf({ tenant, kind, id }: TaskClaim): RunReference | undefined {
  return kind === 'run' ? { tenant, runId: id } : undefined;
}

async function setDue(
  tx: Tx,
  claim: TaskClaim,
  delay: number,
  problem?: string | undefined,
): Promise<void> {
  const task = await claimedTask(tx, claim);
  // A run that has stopped belongs to no worker, although the last claim is still recorded.
  if (task.due === undefined) throw new ClaimLostError();
  const due = (await tx.now()) + delay;
  await tx.tasks.put({ ...task, due, ...(problem !== undefined && { problem }) });
}

async function ifHeld<Result>(work: () => Promise<Result>): Promise<Result | 'lost'> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClaimLostError) return 'lost';
    throw error;
  }
}
