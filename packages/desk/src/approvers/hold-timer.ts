import type { EscalationStep } from '../model/approver-rule.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { storedRequirements } from './requirements.ts';

/** The members of a hold that decide when its timer is due. */
export type TimedHold = Parameters<typeof storedRequirements>[0] &
  Pick<HoldRow, 'createdAt' | 'expiresAt' | 'escalatedAfter' | 'remindedAfter'>;

/** A step of escalation, and if it applies. */
export interface HoldStep extends EscalationStep {
  readonly isReached: boolean;
}

/** Returns the steps of all requirements of a hold, the earliest first. */
export function stepsOf(hold: TimedHold): readonly HoldStep[] {
  const { escalatedAfter = -1 } = hold;
  return storedRequirements(hold)
    .flatMap(({ roles, people, escalate = [] }) =>
      roles === undefined && people === undefined ? [] : escalate,
    )
    .map((step) => ({ ...step, isReached: step.afterMs <= escalatedAfter }))
    .toSorted((one, other) => one.afterMs - other.afterMs);
}

/** Returns the age of the last step that is due and does not apply yet; `undefined` if there is none. */
export function dueEscalation(hold: TimedHold, now: number): number | undefined {
  const due = stepsOf(hold).filter(
    ({ afterMs, isReached }) => !isReached && hold.createdAt + afterMs <= now,
  );
  return due.at(-1)?.afterMs;
}

/** Returns a hold with the steps of escalation that are due by a time. */
export function escalatedAt<Hold extends TimedHold>(hold: Hold, now: number): Hold {
  const escalatedAfter = dueEscalation(hold, now);
  return escalatedAfter === undefined ? hold : { ...hold, escalatedAfter };
}

/** Returns the age of the last reminder that is due and was not sent; `undefined` if there is none. */
export function dueReminder(hold: TimedHold, now: number): number | undefined {
  return pendingReminders(hold).findLast((afterMs) => hold.createdAt + afterMs <= now);
}

/** Returns the time of the next reminder, step or expiry of an open hold; `undefined` if it has none. */
export function nextTimer(hold: TimedHold): number | undefined {
  const { createdAt, expiresAt } = hold;
  const steps = stepsOf(hold).flatMap(({ afterMs, isReached }) => (isReached ? [] : afterMs));
  const times = [...steps, ...pendingReminders(hold)].map((afterMs) => createdAt + afterMs);
  if (expiresAt !== undefined) times.push(expiresAt);
  return times.length === 0 ? undefined : Math.min(...times);
}

function pendingReminders(hold: TimedHold): readonly number[] {
  const { remindedAfter = -1 } = hold;
  return storedRequirements(hold)
    .flatMap(({ remindAfterMs = [] }) => remindAfterMs)
    .filter((afterMs) => afterMs > remindedAfter)
    .toSorted((one, other) => one - other);
}
