import type { JsonValue } from 'holdpoint';
import type { AnswerRow, HoldAnswer } from './answer-row.ts';
import type { HoldRow } from './hold-row.ts';

/** What a decided hold comes to; `undefined` if it was settled in another way. */
export function decidedAnswer(
  { outcome, decidedBy, proposal }: HoldRow,
  answers: readonly AnswerRow[],
): HoldAnswer | undefined {
  if (outcome !== 'decided') return undefined;
  if (decidedBy !== undefined) return { kind: 'approve' };
  const last = answers.at(-1)?.answer;
  return last?.kind === 'deny' ? last : (proposal?.answer ?? last);
}

/** Whether an answer says what came of a call, instead of whether it may run. */
export function isOutcome(answer: HoldAnswer | undefined): boolean {
  return answer !== undefined && ['result', 'retry', 'fail'].includes(answer.kind);
}

/** Returns the validated arguments that a decision about a hold is for: those of the call, or of its edit. */
export function approvedArgs({
  args,
  checkedArgs,
  proposal,
}: Pick<HoldRow, 'args' | 'checkedArgs' | 'proposal'>): JsonValue {
  if (proposal?.answer?.kind === 'edit') return proposal.shown?.args ?? proposal.answer.args;
  return checkedArgs ?? args;
}
