import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';
import type { EditProblem } from '../../approvers/check-edit.ts';
import type { ApproversView } from '../views/hold-view.ts';
import { requireMayAnswer } from '../require-may-answer.ts';
import { jsonObjectSchema } from '../views/json-schema.ts';
import type { Endpoint } from './endpoint.ts';
import { type HoldParams, holdParams } from './params.ts';

/** Arguments that somebody wants to put in place of those of a call. */
export interface CheckBody {
  readonly args: JsonObject;
}

/** Edited arguments as the desk describes them before an approver confirms them. */
export interface CheckedEditView {
  readonly problems: readonly EditProblem[];
  /** The validated arguments that the tool would receive; absent if the desk cannot compute them. */
  readonly args?: JsonValue | undefined;
  /** The preview for these arguments. */
  readonly preview?: JsonValue | undefined;
  /** The approvals that a call with these arguments requires. */
  readonly requirement?: Partial<ApproversView> | undefined;
  /** Names this description. Send it as `shown` with the edit, to confirm what was shown. */
  readonly shown?: string | undefined;
}

export const checkEdit: Endpoint<HoldParams, unknown, CheckBody, CheckedEditView> = {
  method: 'post',
  path: '/holds/{holdId}/check',
  name: 'checkEdit',
  summary:
    'What the schema of a call says against other arguments, for callers who may decide the hold. Nothing is written.',
  params: holdParams,
  body: z.strictObject({ args: jsonObjectSchema }).openapi('CheckEdit'),
  status: 200,
  result: z
    .strictObject({
      problems: z.array(
        z.strictObject({
          path: z.string().openapi({ description: 'A JSON pointer.' }),
          message: z.string(),
        }),
      ),
    })
    .openapi('CheckedEdit'),
  async handle({ desk, caller, rules, access, params: { holdId }, body: { args } }) {
    const { hold } = await desk.hold(holdId);
    await access.require('read', { kind: 'hold', hold });
    await requireMayAnswer(desk, caller, hold, rules);
    return { problems: await desk.checkEdit(holdId, args) };
  },
};
