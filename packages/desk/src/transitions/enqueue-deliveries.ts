import type { OutboxRow } from '../model/outbox-row.ts';
import type { Tx } from '../store/store.ts';

/** A receiver of an event. */
export interface DeliveryTo {
  /** The id of the receiver. */
  readonly id: string;
  readonly host: string;
}

/** The id of the task of a delivery. */
function deliveryTaskId(eventId: string, receiver: string): string {
  return `${eventId}.${receiver}`;
}

/** Enqueues one delivery of an event per receiver. Repeated calls have no effect. */
export async function enqueueDeliveries(
  tx: Tx,
  { tenant, id: eventId }: OutboxRow,
  receivers: readonly DeliveryTo[],
): Promise<void> {
  const now = await tx.now();
  for (const { id: receiver, host } of receivers) {
    const times = { createdAt: now, changedAt: now };
    const state = 'pending' as const;
    const row = { tenant, eventId, receiver, host, state, attempts: 0, ...times };
    if (!(await tx.deliveries.insert(row))) continue;
    const id = deliveryTaskId(eventId, receiver);
    const task = { tenant, kind: 'webhook', id, queue: receiver, due: now } as const;
    await tx.tasks.insert({ ...task, fence: 0, attempts: 0 });
  }
}
