import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { lockedHold } from './decide-hold.ts';
import { claimedTask } from './claimed-run.ts';
import { resumeRun } from './resume-run.ts';

/** Settles a hold that was not decided in time. After the last hold the run is ready to resume. */
export function expireHold(store: Store, claim: TaskClaim): Promise<'expired' | 'not-due'> {
  return store.write(async (tx) => {
    const { change, hold } = await lockedHold(tx, claim.tenant, claim.id);
    const task = await claimedTask(tx, claim);
    if (hold.state !== 'open' || hold.expiresAt === undefined) {
      await tx.tasks.remove(task.tenant, task.kind, task.id);
      return 'not-due';
    }
    // The clock of the store decides, and it may have been set back.
    if (hold.expiresAt > change.now) {
      await tx.tasks.put({ ...task, due: hold.expiresAt, attempts: 0 });
      return 'not-due';
    }
    await change.recordHold('hold-expired', await change.settle(hold, 'expired'));
    await resumeRun(change);
    await change.save();
    return 'expired';
  });
}
