import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { lockedHold } from './decide-hold.ts';
import { claimedTask } from './claimed-run.ts';
import { resumeRun } from './resume-run.ts';
import { passTimer } from './hold-timer.ts';

/**
 * Settles a hold that was not decided in time; after the last hold the run is ready to resume. Otherwise it applies the
 * steps of escalation and sends the reminders that are due.
 */
export function expireHold(store: Store, claim: TaskClaim): Promise<'expired' | 'not-due'> {
  return store.write(async (tx) => {
    const { change, hold } = await lockedHold(tx, claim.tenant, claim.id);
    const task = await claimedTask(tx, claim);
    // The clock of the store decides, and it may have been set back.
    const isExpired = hold.expiresAt !== undefined && hold.expiresAt <= change.now;
    if (hold.state !== 'open' || !isExpired) {
      const due = hold.state === 'open' ? await passTimer(change, hold) : undefined;
      if (due === undefined) await tx.tasks.remove(task.tenant, task.kind, task.id);
      else await tx.tasks.put({ ...task, due, attempts: 0 });
      await change.save();
      return 'not-due';
    }
    await change.recordHold('hold-expired', await change.settle(hold, 'expired'));
    await resumeRun(change);
    await change.save();
    return 'expired';
  });
}
