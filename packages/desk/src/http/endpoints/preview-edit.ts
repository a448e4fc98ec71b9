import { createRoute, z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';
import type { EditProblem } from '../../approvers/validate-edit.ts';
import { requireMayDecide } from '../access.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import { approversSchema, type ApproversView, approversView } from '../views/hold-view.ts';
import { idSchema, jsonObjectSchema, jsonSchema, NO_QUERY } from '../views/schemas.ts';

/** Arguments that an approver wants to use instead of those of a call. */
export interface CheckBody {
  readonly args: JsonObject;
}

/** An edit, as its tool describes it. */
export interface EditPreviewView {
  /** The mistakes in the arguments; empty if the edit can be approved. */
  readonly problems: readonly EditProblem[];
  /** The validated arguments that would execute; as typed, if the desk cannot validate them. */
  readonly args: JsonValue;
  readonly preview?: JsonValue | undefined;
  /** The requirement of the policy for the edited call, in addition to those of the hold. */
  readonly requirement?: ApproversView | undefined;
  /** Confirms that the approver was shown this preview. Send it with the decision. */
  readonly shown: string;
}

const previewSchema: z.ZodType<EditPreviewView> = z
  .strictObject({
    problems: z.array(
      z.strictObject({
        path: z.string().openapi({ description: 'A JSON pointer into the arguments.' }),
        message: z.string(),
      }),
    ),
    args: jsonSchema,
    preview: jsonSchema.optional(),
    requirement: approversSchema.optional(),
    shown: z.string(),
  })
  .openapi('EditPreview');

const bodySchema: z.ZodType<CheckBody> = z
  .strictObject({ args: jsonObjectSchema })
  .openapi('PreviewEdit');

/** Serves previews of edits. */
export function servePreviewEdit(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/holds/{holdId}/edit-preview',
      operationId: 'previewEdit',
      tags: ['Holds'],
      summary: 'Describes an edit and writes nothing',
      description:
        'Returns problems, the validated arguments, their preview and their requirement.',
      request: {
        params: z.strictObject({ holdId: idSchema }),
        query: NO_QUERY,
        body: jsonBody(bodySchema),
      },
      responses: responses({ 200: ['The edit.', previewSchema] }, 413, 415),
    }),
    async (context) => {
      const { holdId } = context.req.valid('param');
      const { args } = context.req.valid('json');
      return Response.json(await previewEdit(context.var.scope, holdId, args));
    },
  );
}

async function previewEdit(
  { desk, caller, rules, access, secrets }: RequestScope,
  holdId: string,
  typed: JsonObject,
): Promise<EditPreviewView> {
  const hold = await desk.hold(holdId);
  await access.require('read', { kind: 'hold', hold });
  await requireMayDecide(desk, caller, hold, [
    ...(await desk.delegatorsOf(caller.person)),
    undefined,
  ]);
  const { problems, args, preview, requirement, shown } = await desk.previewEdit(holdId, typed);
  const { toolName } = hold;
  const hidden = await secrets.of(hold.conversationId);
  return {
    problems,
    args: hidden.takeOutOf(rules.redaction.argsOf({ toolName, args })),
    ...(preview !== undefined && {
      preview: hidden.takeOutOf(rules.redaction.previewOf(toolName, preview)),
    }),
    ...(requirement && { requirement: approversView(requirement) }),
    shown,
  };
}
