import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedTask } from './claimed-run.ts';
import { RunChange } from './run-change.ts';

/** Gives up a task that failed too often: no worker claims it again, and the audit of its run says so. */
export function abandonTask(store: Store, claim: TaskClaim): Promise<void> {
  return store.write(async (tx) => {
    const runId = await runIdOf(tx, claim);
    const change = runId === undefined ? undefined : await RunChange.of(tx, claim.tenant, runId);
    const task = await claimedTask(tx, claim);
    await tx.tasks.put({ ...task, due: undefined });
    if (change === undefined) return;
    if (claim.kind === 'expiry') {
      change.record('expiry-given-up', { holdId: claim.id, attempts: claim.attempts });
    } else {
      change.record('notification-given-up', { eventId: claim.id, attempts: claim.attempts });
    }
    await change.save();
  });
}

async function runIdOf(tx: Tx, { tenant, kind, id }: TaskClaim): Promise<string | undefined> {
  const row = kind === 'expiry' ? await tx.holds.get(tenant, id) : await tx.outbox.get(tenant, id);
  return row?.runId;
}
