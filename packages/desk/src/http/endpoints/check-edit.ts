import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';
import type { EditProblem } from '../../approvers/check-edit.ts';
import { requireMayAnswer } from '../require-may-answer.ts';
import { approversSchema, type ApproversView, approversView } from '../views/hold-view.ts';
import { jsonObjectSchema, jsonSchema } from '../views/json-schema.ts';
import type { Endpoint } from './endpoint.ts';
import { type HoldParams, holdParams } from './params.ts';

/** Arguments that somebody wants to put in place of those of a call. */
export interface CheckBody {
  readonly args: JsonObject;
}

/** An edit, as its tool describes it. */
export interface CheckedEditView {
  readonly problems: readonly EditProblem[];
  /** The validated arguments that would execute; as typed, if the desk cannot validate them. */
  readonly args: JsonValue;
  readonly preview?: JsonValue | undefined;
  /** What the policy demands for the edited call, beside the requirements of the hold. */
  readonly requirement?: ApproversView | undefined;
  /** Confirms what was shown: send it with the decision. */
  readonly shown: string;
}

export const checkEdit: Endpoint<HoldParams, unknown, CheckBody, CheckedEditView> = {
  method: 'post',
  path: '/holds/{holdId}/check',
  name: 'checkEdit',
  summary:
    'Describes an edit: problems, validated arguments, preview and requirement. Nothing is written.',
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
      args: jsonSchema,
      preview: jsonSchema.optional(),
      requirement: approversSchema.optional(),
      shown: z.string(),
    })
    .openapi('CheckedEdit'),
  async handle({
    desk,
    caller,
    rules,
    access,
    secrets,
    params: { holdId },
    body: { args: typed },
  }) {
    const { hold } = await desk.hold(holdId);
    await access.require('read', { kind: 'hold', hold });
    await requireMayAnswer(desk, caller, hold);
    const { problems, args, preview, requirement, shown } = await desk.checkEdit(holdId, typed);
    const { toolName } = hold;
    const unseen = await secrets.of(hold.conversationId);
    return {
      problems,
      args: unseen.takeOutOf(rules.redaction.argsOf({ toolName, args })),
      ...(preview !== undefined && {
        preview: unseen.takeOutOf(rules.redaction.previewOf(toolName, preview)),
      }),
      ...(requirement && { requirement: approversView(requirement) }),
      shown,
    };
  },
};
