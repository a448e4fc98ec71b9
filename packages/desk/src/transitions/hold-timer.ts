import { dueEscalation, dueReminder, nextTimer } from '../approvers/hold-timer.ts';
import { requirementsOf, summaryOf } from '../approvers/requirements.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { RunChange } from './run-change.ts';
import { tamperedHold } from './verify-rows.ts';

/** Applies the steps of escalation that are due, and returns the hold. The caller writes it. */
export async function applyEscalation(change: RunChange, hold: HoldRow): Promise<HoldRow> {
  const escalatedAfter = dueEscalation(hold, change.now);
  if (escalatedAfter === undefined) return hold;
  const escalated = { ...hold, escalatedAfter };
  await change.recordHold('hold-escalated', escalated, { afterMs: escalatedAfter });
  await change.emit('hold-escalated', { holdId: hold.id, afterMs: escalatedAfter });
  return escalated;
}

/**
 * Applies the steps and sends the reminder that are due for an open hold. Returns the time of its next timer;
 * `undefined` if it has none.
 */
export async function passTimer(change: RunChange, hold: HoldRow): Promise<number | undefined> {
  const isDue = [dueEscalation(hold, change.now), dueReminder(hold, change.now)].some(
    (ageMs) => ageMs !== undefined,
  );
  if (!isDue) return nextTimer(hold);
  // The audit would record a hash of the changed row. Decisions about it are rejected, and it still expires.
  if ((await tamperedHold(change.tx, change.run, [hold])) !== undefined) return hold.expiresAt;
  const passed = await remind(change, await applyEscalation(change, hold));
  await change.tx.holds.put(passed);
  return nextTimer(passed);
}

async function remind(change: RunChange, hold: HoldRow): Promise<HoldRow> {
  const remindedAfter = dueReminder(hold, change.now);
  if (remindedAfter === undefined) return hold;
  const reminded = { ...hold, remindedAfter };
  await change.recordHold('hold-reminded', reminded, { afterMs: remindedAfter });
  const votes = hold.votes?.length ?? 0;
  const { count } = summaryOf(requirementsOf(hold));
  const details = { holdId: hold.id, afterMs: remindedAfter, votes, count };
  await change.emit('hold-reminder', details);
  return reminded;
}

/** Schedules the timer of an open hold again if a decision changed its requirements. */
export async function rescheduleTimer(
  { tx }: RunChange,
  before: HoldRow,
  after: HoldRow,
): Promise<void> {
  const due = nextTimer(after);
  if (due === undefined || due === nextTimer(before)) return;
  const { tenant, id } = after;
  const task = await tx.tasks.lock(tenant, 'expiry', id);
  if (task !== undefined) return tx.tasks.put({ ...task, due });
  await tx.tasks.insert({ tenant, kind: 'expiry', id, due, fence: 0, attempts: 0 });
}
