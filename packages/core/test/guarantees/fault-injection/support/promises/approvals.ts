import { denialOf } from '../decisions.ts';
import type { Execution, MadeCall } from '../journal.ts';
import type { World } from '../world.ts';
import { mayRunAgain, needsApproval } from './facts.ts';
import { resultIn } from './notifications.ts';
import { present } from '../../../../support/present.ts';

/**
 * A call that needs approval executes only with an approval that its run received, and with the
 * approved arguments.
 */
export function notApproved({ journal, runs }: World, execution: Execution): string[] {
  const { label, value, run, approved } = execution;
  if (!approved && !needsApproval(present(journal.calls.get(label)))) return [];
  const { given } = present(runs[run]);
  const decision = given?.decisions.get(label);
  if (given?.isSpoiled) return [`executed although the answers were spoiled: ${label}`];
  if (decision?.kind !== 'approved') return [`executed without approval: ${label}`];
  return decision.value === value ? [] : [`executed with other arguments than approved: ${label}`];
}

/**
 * A denied call does not start afterwards, and did not start before unless the approver was shown the
 * doubt.
 */
export function executionsOfDenied(world: World, call: MadeCall): string[] {
  const executions = world.journal.of(call.label);
  return world.runs.flatMap(({ messages, overAt, given, id }) => {
    const result = resultIn(messages, call);
    if (result?.outcome !== 'denied' || overAt === undefined) return [];
    if (executions.some(({ at }) => at > overAt)) return [`ran after it was denied: ${call.label}`];
    const deniedByThisRun = given?.by === id && result.content === denialOf(id);
    const knew =
      given?.decisions.get(call.label)?.shownAttempt !== undefined || mayRunAgain(world, call);
    return deniedByThisRun && !knew && executions.length > 0
      ? [`denied by an approver who was not shown that it executed: ${call.label}`]
      : [];
  });
}
