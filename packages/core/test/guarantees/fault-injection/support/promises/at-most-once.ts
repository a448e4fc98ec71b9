import { idOf, type MadeCall } from '../journal.ts';
import type { World } from '../world.ts';
import { isGuarded, keyOf, approvedDoubts } from './facts.ts';
import { isStopped, resultIn } from './notifications.ts';
import { present } from '../../../../support/present.ts';

/** A call executes at most once, unless an approver was shown the doubt and approved another execution. */
export function tooManyExecutions(world: World, call: MadeCall): string[] {
  const { length } = world.journal.of(call.label);
  if (!isGuarded(call) || call.tool.onInDoubt === 'retry') return [];
  const allowed = 1 + approvedDoubts(world, call).size;
  return length > allowed ? [`executed too often: ${call.label} ran ${length} times`] : [];
}

/** No execution starts after the call has an outcome. */
export function executionsAfterTheEnd({ journal }: World, call: MadeCall): string[] {
  if (!isGuarded(call)) return [];
  return journal.of(call.label).flatMap(({ at, idempotencyKey }) => {
    const endedAt = journal.endings.get(idOf(keyOf(present(idempotencyKey))));
    const isLate = endedAt !== undefined && endedAt < at;
    return isLate ? [`executed after its outcome was there: ${call.label}`] : [];
  });
}

/** A cancelled call does not start. */
export function executionsAfterCancel({ journal, runs }: World, call: MadeCall): string[] {
  return journal.of(call.label).flatMap(({ run, at }) => {
    const { overAt, messages } = present(runs[run]);
    if (overAt !== undefined && overAt < at) return [`began after its run was over: ${call.label}`];
    const result = isGuarded(call) ? resultIn(messages, call) : undefined;
    return result && isStopped(result)
      ? [`ran, and the history says that it was stopped: ${call.label}`]
      : [];
  });
}

/** All executions of a call have the same idempotency key. */
export function unstableKeys({ journal }: World, { label }: MadeCall): string[] {
  const keys = new Set(journal.of(label).map(({ idempotencyKey }) => idempotencyKey));
  return keys.size > 1 ? [`other idempotency keys for one call: ${label}`] : [];
}
