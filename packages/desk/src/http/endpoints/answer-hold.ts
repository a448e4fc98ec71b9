import { z } from '@hono/zod-openapi';
import type { HoldAnswer } from '../../model/answer-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import { DeskError } from '../../errors/desk-error.ts';
import { contains } from '../../approvers/grant-fits.ts';
import type { Remember } from '../../model/remember.ts';
import { approvedArgs } from '../../model/settled-answer.ts';
import { HoldViewer } from '../hold-viewer.ts';
import { HttpProblem } from '../http-problem.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import { requireMayAnswer } from '../require-may-answer.ts';
import { answerSchema } from '../views/answer-view.ts';
import { rememberViewSchema } from '../views/remember-view.ts';
import { type HoldView, holdViewSchema } from '../views/hold-view.ts';
import type { Endpoint } from './endpoint.ts';
import { type HoldParams, holdParams } from './params.ts';

/** What somebody says to a hold, and what they have looked at. */
export interface AnswerBody {
  /** The digest of the hold as it was shown. */
  readonly digest: string;
  readonly answer: HoldAnswer;
  /** With an edit: the `shown` of the description that the approver confirmed. */
  readonly shown?: string | undefined;
  /** Which later calls an approval is to hold for as well. */
  readonly remember?: Remember | undefined;
}

export const answerHold: Endpoint<HoldParams, unknown, AnswerBody, HoldView> = {
  method: 'post',
  path: '/holds/{holdId}/answer',
  name: 'answerHold',
  summary:
    'Answers a hold, for what was shown. It stays open until as many agree as its rule asks for.',
  params: holdParams,
  body: z
    .strictObject({
      digest: z.string().min(1).max(200),
      answer: answerSchema,
      remember: rememberViewSchema.optional(),
      shown: z.string().min(1).max(200).optional(),
    })
    .openapi('AnswerHold'),
  status: 200,
  result: holdViewSchema,
  refusals: [409, 410, 422],
  async handle(asked) {
    const { desk, caller, params, body, rules } = asked;
    const { digest, answer, remember, shown } = body;
    const { holdId } = params;
    const { hold } = await desk.hold(holdId);
    await asked.access.require('read', { kind: 'hold', hold });
    await requireMayAnswer(desk, caller, hold);
    requireWhole(hold, answer, rules.redaction);
    requireSeen(hold, remember, rules.redaction);
    const { person: by, roles } = caller;
    await desk.answer(holdId, answer, { by, roles, digest, remember, shown });
    const answered = await desk.hold(holdId);
    return new HoldViewer(asked).whole(answered.hold, answered.answers);
  },
};

/** Refuses to remember members that are not shown: who is told whether they fit could guess them. */
function requireSeen(hold: HoldRow, remember: Remember | undefined, redaction: Redaction): void {
  if (remember === undefined || typeof remember.match === 'string') return;
  const { toolName } = hold;
  if (!redaction.isAbout(toolName)) return;
  const seen = redaction.argsOf({ toolName, args: approvedArgs(hold) });
  if (contains(seen, remember.match.args)) return;
  throw new DeskError(
    'remember-does-not-fit',
    'The arguments of this call, as far as they are shown, do not have these members. Nothing was written.',
  );
}

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
