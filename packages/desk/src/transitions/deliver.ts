import type { OutboxRow } from '../model/outbox-row.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedTask } from './claimed-run.ts';

/** Records that an event was delivered. `deliver` writes its deliveries in the same transaction. */
export function markDelivered(
  store: Store,
  claim: TaskClaim,
  deliver: (tx: Tx, event: OutboxRow) => Promise<void> = async () => {},
): Promise<void> {
  return store.write(async (tx) => {
    await claimedTask(tx, claim);
    const row: OutboxRow | undefined = await tx.outbox.lock(claim.tenant, claim.id);
    if (row !== undefined) {
      await deliver(tx, row);
      await tx.outbox.put({ ...row, deliveredAt: await tx.now() });
    }
    await tx.tasks.remove(claim.tenant, claim.kind, claim.id);
  });
}
