import type { AnswerRow } from '../model/answer-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { DeskError } from './desk-error.ts';

/** A hold has its outcome already; it is not changed any more. */
export class HoldSettledError extends DeskError {
  override name = 'HoldSettledError';
  /** The hold as it is. */
  readonly hold: HoldRow;
  /** The answer that it has; `undefined` if it was settled without one. */
  readonly answer: AnswerRow | undefined;

  constructor(hold: HoldRow, answer: AnswerRow | undefined) {
    super(
      'hold-settled',
      `${whatHappened(hold, answer)} An answer is written once. Look at the run.`,
    );
    this.hold = hold;
    this.answer = answer;
  }
}

function whatHappened({ id, outcome }: HoldRow, answer: AnswerRow | undefined): string {
  if (answer === undefined) return `Hold '${id}' is ${outcome ?? 'settled'}.`;
  return `Hold '${id}' was answered before, by '${answer.by.id}' with '${answer.answer.kind}'.`;
}
