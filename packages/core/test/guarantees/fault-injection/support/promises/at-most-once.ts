import { idOf, type MadeCall } from '../journal.ts';
import type { World } from '../world.ts';
import { isGuarded, keyOf, toldDoubts } from './facts.ts';
import { isStopped, toldIn } from './notifications.ts';
import { present } from '../../../../support/present.ts';

/** A call runs at most once, unless somebody who knew of the doubt said that it may run again. */
export function tooManyExecutions(world: World, call: MadeCall): string[] {
  const { length } = world.journal.of(call.label);
  if (!isGuarded(call) || call.tool.onInDoubt === 'retry') return [];
  const allowed = 1 + toldDoubts(world, call).size;
  return length > allowed ? [`executed too often: ${call.label} ran ${length} times`] : [];
}

/** When an outcome is there, nothing begins any more. */
export function executionsAfterTheEnd({ journal }: World, call: MadeCall): string[] {
  if (!isGuarded(call)) return [];
  return journal.of(call.label).flatMap(({ at, idempotencyKey }) => {
    const endedAt = journal.endings.get(idOf(keyOf(present(idempotencyKey))));
    const isLate = endedAt !== undefined && endedAt < at;
    return isLate ? [`executed after its outcome was there: ${call.label}`] : [];
  });
}

/** A call that its run has given up does not begin any more. */
export function executionsNobodyWants({ journal, runs }: World, call: MadeCall): string[] {
  return journal.of(call.label).flatMap(({ run, at }) => {
    const { overAt, messages } = present(runs[run]);
    if (overAt !== undefined && overAt < at) return [`began after its run was over: ${call.label}`];
    const told = isGuarded(call) ? toldIn(messages, call) : undefined;
    return told && isStopped(told)
      ? [`ran, and the history says that it was stopped: ${call.label}`]
      : [];
  });
}

/** The idempotency key of a call is the same whenever and wherever it runs. */
export function unstableKeys({ journal }: World, { label }: MadeCall): string[] {
  const keys = new Set(journal.of(label).map(({ idempotencyKey }) => idempotencyKey));
  return keys.size > 1 ? [`other idempotency keys for one call: ${label}`] : [];
}
