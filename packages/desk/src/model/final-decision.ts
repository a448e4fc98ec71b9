import type { JsonValue } from 'holdpoint';
import { closesHold, type Decision, type DecisionRow, editedArgs } from './decision-row.ts';
import type { HoldRow } from './hold-row.ts';

/** Returns the decision that a decided hold ended with; `undefined` if it was settled in another way. */
export function finalDecision(
  hold: HoldRow,
  decisions: readonly DecisionRow[],
): Decision | undefined {
  if (hold.outcome !== 'decided') return undefined;
  if (hold.decidedBy !== undefined) return { kind: 'approve' };
  const last = decisions.at(-1)?.decision;
  // A proposal of another approver has no effect then.
  if (last === undefined || closesHold(hold, last)) return last;
  const final = hold.proposal?.decision ?? last;
  if (final.kind !== 'approve') return final;
  const reason = reasonsFor(hold, decisions).join('\n');
  const { args } = final;
  return { kind: 'approve', ...(args && { args }), ...(reason !== '' && { reason }) };
}

/** Returns the reasons of the approvals that decided a hold. */
function reasonsFor({ digest }: HoldRow, decisions: readonly DecisionRow[]): readonly string[] {
  return decisions
    .filter((row) => (row.countsFor ?? row.digest) === digest)
    .flatMap(({ decision }) => (decision.kind === 'approve' ? (decision.reason ?? []) : []));
}

/** Returns whether a decision supplies the outcome of a call or an input for it, instead of approving or denying it. */
export function isOutcome(decision: Decision | undefined): boolean {
  return decision !== undefined && ['input', 'result', 'retry', 'fail'].includes(decision.kind);
}

/** Returns the validated arguments that a decision about a hold is for: those of the call, or of its edit. */
export function approvedArgs({
  args,
  validatedArgs,
  proposal,
}: Pick<HoldRow, 'args' | 'validatedArgs' | 'proposal'>): JsonValue {
  const edit = editedArgs(proposal?.decision);
  if (edit !== undefined) return proposal?.shown?.args ?? edit;
  return validatedArgs ?? args;
}
