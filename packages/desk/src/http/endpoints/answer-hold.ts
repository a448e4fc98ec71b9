import { z } from '@hono/zod-openapi';
import type { HoldAnswer } from '../../model/answer-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import { HttpProblem } from '../http-problem.ts';
import type { Redaction } from '../redaction/redaction.ts';
import { requireMayAnswer } from '../require-may-answer.ts';
import { answerSchema } from '../views/answer-view.ts';
import { type HoldView, holdView, holdViewSchema } from '../views/hold-view.ts';
import type { Endpoint } from './endpoint.ts';
import { type HoldParams, holdParams } from './params.ts';

/** What somebody says to a hold, and what they have looked at. */
export interface AnswerBody {
  /** The digest of the hold as it was shown. */
  readonly digest: string;
  readonly answer: HoldAnswer;
}

export const answerHold: Endpoint<HoldParams, unknown, AnswerBody, HoldView> = {
  method: 'post',
  path: '/holds/{holdId}/answer',
  name: 'answerHold',
  summary: 'Answers a hold, once, for what was shown.',
  params: holdParams,
  body: z
    .strictObject({ digest: z.string().min(1).max(200), answer: answerSchema })
    .openapi('AnswerHold'),
  status: 200,
  result: holdViewSchema,
  refusals: [409, 410, 422],
  async handle({ desk, caller, params: { holdId }, body: { digest, answer }, rules, secrets }) {
    const { hold } = await desk.hold(holdId);
    await requireMayAnswer(desk, caller, hold, rules);
    requireWhole(hold, answer, rules.redaction);
    const answered = await desk.answer(holdId, answer, { by: caller.person, digest });
    return holdView(answered, rules.redaction, await secrets.of(hold.conversationId));
  },
};

/**
 * Refuses arguments in which something stands that was only shown in the place of a secret. To put the
 * secret back would let people send what they cannot see to where they say.
 */
function requireWhole(hold: HoldRow, answer: HoldAnswer, redaction: Redaction): void {
  if (answer.kind !== 'edit') return;
  const place = redaction.placeholderIn(hold, answer.args);
  if (place === undefined) return;
  throw new HttpProblem({
    status: 422,
    code: 'redacted-value',
    message: `'${place}' is not a value, it only stands for one that is not shown. Nothing was written. Give the value, or deny the call.`,
    details: { place },
  });
}
