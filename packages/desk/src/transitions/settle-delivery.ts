import type { DeliveryRow } from '../model/delivery-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedTask } from './claimed-run.ts';
import { RunChange } from './run-change.ts';

/** Records that a receiver got an event. */
export function recordDelivered(store: Store, claim: TaskClaim, row: DeliveryRow): Promise<void> {
  return store.write(async (tx) => {
    await claimedTask(tx, claim);
    await put(tx, row, { state: 'delivered', attempts: row.attempts + 1, problem: undefined });
    await tx.tasks.remove(claim.tenant, claim.kind, claim.id);
  });
}

/** Records a failed delivery, and schedules another attempt. */
export function recordUndelivered(
  store: Store,
  claim: TaskClaim,
  row: DeliveryRow,
  { problem, pause }: { readonly problem: string; readonly pause: number },
): Promise<void> {
  return store.write(async (tx) => {
    const task = await claimedTask(tx, claim);
    const { changedAt } = await put(tx, row, { attempts: row.attempts + 1, problem });
    await tx.tasks.put({ ...task, due: changedAt + pause });
  });
}

/** Gives up a delivery, and records this in the audit of the run. */
export function giveUpDelivery(
  store: Store,
  claim: TaskClaim,
  row: DeliveryRow,
  {
    event,
    problem,
    attempts,
  }: { readonly event: OutboxRow; readonly problem: string; readonly attempts: number },
): Promise<void> {
  return store.write(async (tx) => {
    const change = await RunChange.of(tx, event.tenant, event.runId);
    const task = await claimedTask(tx, claim);
    const { changedAt } = await put(tx, row, { state: 'given-up', attempts, problem });
    await tx.tasks.put({ ...task, due: undefined, givenUpAt: changedAt, problem, attempts });
    if (change === undefined) return;
    const { eventId, receiver, host } = row;
    change.record('webhook-given-up', { eventId, receiver, host, attempts });
    await change.save();
  });
}

async function put(tx: Tx, row: DeliveryRow, fields: Partial<DeliveryRow>): Promise<DeliveryRow> {
  const changed = { ...row, ...fields, changedAt: await tx.now() };
  await tx.deliveries.put(changed);
  return changed;
}
