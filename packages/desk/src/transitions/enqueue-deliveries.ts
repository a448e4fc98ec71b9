import type { OutboxRow } from '../model/outbox-row.ts';
import type { Store } from '../store/store.ts';

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
export function enqueueDeliveries(
  store: Store,
  { tenant, id: eventId }: OutboxRow,
  receivers: readonly DeliveryTo[],
): Promise<void> {
  return store.write(async (tx) => {
    const now = await tx.now();
    for (const { id: receiver, host } of receivers) {
      const times = { createdAt: now, changedAt: now };
      const row = {
        tenant,
        eventId,
        receiver,
        host,
        state: 'pending' as const,
        attempts: 0,
        ...times,
      };
      if (!(await tx.deliveries.insert(row))) continue;
      const id = deliveryTaskId(eventId, receiver);
      const task = { tenant, kind: 'webhook', id, queue: receiver, due: now } as const;
      await tx.tasks.insert({ ...task, fence: 0, attempts: 0 });
    }
  });
}
