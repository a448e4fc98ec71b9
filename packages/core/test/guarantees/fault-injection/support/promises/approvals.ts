import { denialOf } from '../decisions.ts';
import type { Execution, MadeCall } from '../journal.ts';
import type { World } from '../world.ts';
import { mayRunAgain, needsApproval } from './facts.ts';
import { toldIn } from './notifications.ts';
import { present } from '../../../../support/present.ts';

/**
 * A call that needs approval executes only with an approval that its run received, and with the
 * approved arguments.
 */
export function notApproved({ journal, runs }: World, execution: Execution): string[] {
  const { label, value, run, approved } = execution;
  if (!approved && !needsApproval(present(journal.calls.get(label)))) return [];
  const { given } = present(runs[run]);
  const answer = given?.answers.get(label);
  if (given?.isSpoiled) return [`executed although the answers were spoiled: ${label}`];
  if (answer?.kind !== 'approved') return [`executed without approval: ${label}`];
  return answer.value === value ? [] : [`executed with other arguments than approved: ${label}`];
}

/**
 * A denied call does not start afterwards, and did not start before unless the approver was shown the
 * doubt.
 */
export function executionsOfDenied(world: World, call: MadeCall): string[] {
  const executions = world.journal.of(call.label);
  return world.runs.flatMap(({ messages, overAt, given, id }) => {
    const told = toldIn(messages, call);
    if (told?.outcome !== 'denied' || overAt === undefined) return [];
    if (executions.some(({ at }) => at > overAt)) return [`ran after it was denied: ${call.label}`];
    const isOwn = given?.by === id && told.content === denialOf(id);
    const knew = given?.answers.get(call.label)?.told !== undefined || mayRunAgain(world, call);
    return isOwn && !knew && executions.length > 0
      ? [`denied by somebody who did not know that it ran: ${call.label}`]
      : [];
  });
}
