import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedTask } from './claimed-run.ts';
import { RunChange } from './run-change.ts';

/** Gives up a task that failed too often: no worker claims it again, and the audit of its run records it. */
export function abandonTask(store: Store, claim: TaskClaim, problem: string): Promise<void> {
  return store.write(async (tx) => {
    const runId = await runIdOf(tx, claim);
    const change = runId === undefined ? undefined : await RunChange.of(tx, claim.tenant, runId);
    const task = await claimedTask(tx, claim);
    await tx.tasks.put({ ...task, due: undefined, givenUpAt: await tx.now(), problem });
    if (change === undefined) return;
    if (claim.kind === 'expiry') {
      change.record('expiry-given-up', { holdId: claim.id, attempts: claim.attempts });
    } else {
      change.record('notification-given-up', { eventId: claim.id, attempts: claim.attempts });
    }
    await change.save();
  });
}

/** Returns the run that a task belongs to; `undefined` if its row is missing. */
export async function runIdOf(
  tx: Tx,
  { tenant, kind, id }: Pick<TaskClaim, 'tenant' | 'kind' | 'id'>,
): Promise<string | undefined> {
  if (kind === 'run') return id;
  if (kind === 'expiry') return (await tx.holds.get(tenant, id))?.runId;
  const [eventId = ''] = id.split('.');
  return (await tx.outbox.get(tenant, eventId))?.runId;
}
