import type { DeliveryRow } from '../model/delivery-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedTask } from './claimed-run.ts';
import { RunChange } from './run-change.ts';

/** Notes that a receiver was told. */
export function noteDelivered(store: Store, claim: TaskClaim, row: DeliveryRow): Promise<void> {
  return store.write(async (tx) => {
    await claimedTask(tx, claim);
    await put(tx, row, { state: 'delivered', tries: row.tries + 1, problem: undefined });
    await tx.tasks.remove(claim.tenant, claim.kind, claim.id);
  });
}

/** Notes that a receiver could not be told, and has it be tried again after a while. */
export function noteUndelivered(
  store: Store,
  claim: TaskClaim,
  row: DeliveryRow,
  { problem, pause }: { readonly problem: string; readonly pause: number },
): Promise<void> {
  return store.write(async (tx) => {
    const task = await claimedTask(tx, claim);
    const { changedAt } = await put(tx, row, { tries: row.tries + 1, problem });
    await tx.tasks.put({ ...task, due: changedAt + pause });
  });
}

/** Gives up telling a receiver. The audit of the run says so. */
export function giveUpDelivery(
  store: Store,
  claim: TaskClaim,
  row: DeliveryRow,
  {
    event,
    problem,
    tries,
  }: { readonly event: OutboxRow; readonly problem: string; readonly tries: number },
): Promise<void> {
  return store.write(async (tx) => {
    const change = await RunChange.of(tx, event.tenant, event.runId);
    await claimedTask(tx, claim);
    await put(tx, row, { state: 'given-up', tries, problem });
    await tx.tasks.remove(claim.tenant, claim.kind, claim.id);
    if (change === undefined) return;
    const { eventId, receiver, host } = row;
    change.note('webhook-given-up', { eventId, receiver, host, tries });
    await change.save();
  });
}

async function put(tx: Tx, row: DeliveryRow, fields: Partial<DeliveryRow>): Promise<DeliveryRow> {
  const changed = { ...row, ...fields, changedAt: await tx.now() };
  await tx.deliveries.put(changed);
  return changed;
}
