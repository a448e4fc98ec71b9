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

/** The arguments that those who approve a hold agree to. */
export function approvedArgs({ args, proposal }: HoldRow): JsonValue {
  return proposal?.answer?.kind === 'edit' ? proposal.answer.args : args;
}
