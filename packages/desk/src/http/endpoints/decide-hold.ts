import { createRoute, z } from '@hono/zod-openapi';
import { contains } from '../../approvers/grant-fits.ts';
import { isSamePerson } from '../../approvers/same-person.ts';
import { DeskError } from '../../errors/desk-error.ts';
import { type Decision, editedArgs } from '../../model/decision-row.ts';
import type { Delegator } from '../../model/delegation-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { GrantRequest } from '../../model/grant-request.ts';
import { approvedArgs } from '../../model/final-decision.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import { requireMayDecide } from '../access.ts';
import { HoldViewer } from '../hold-viewer.ts';
import { HttpProblem } from '../http-problem.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import { decisionSchema } from '../views/decision-view.ts';
import { grantRequestSchema } from '../views/grant-view.ts';
import { type HoldView, holdViewSchema } from '../views/hold-view.ts';
import { idSchema, nameSchema, NO_QUERY } from '../views/schemas.ts';

/** A decision on a hold, and the digest of the hold that the approver was shown. */
export interface DecisionBody {
  /** The digest of the hold as it was shown. */
  readonly digest: string;
  readonly decision: Decision;
  /** The id of the person who delegated the decision to the caller; without it the caller decides for themselves. */
  readonly onBehalfOf?: string | undefined;
  /** With an edit: the `shown` of the edit preview that the approver confirmed. */
  readonly shown?: string | undefined;
  /** The later calls that the approval also permits. */
  readonly grant?: GrantRequest | undefined;
}

export const digestSchema: z.ZodType<string> = z.string().min(1).max(200);

const bodySchema: z.ZodType<DecisionBody> = z
  .strictObject({
    digest: digestSchema,
    decision: decisionSchema,
    onBehalfOf: nameSchema.optional(),
    grant: grantRequestSchema.optional(),
    shown: z.string().min(1).max(200).optional(),
  })
  .openapi('DecideHold');

/** Serves decisions on single holds. */
export function serveDecideHold(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/holds/{holdId}/decision',
      operationId: 'decideHold',
      tags: ['Holds'],
      summary: 'Decides a hold',
      description:
        'The decision applies to the call that the digest names. The hold stays open until its requirements are met.',
      request: {
        params: z.strictObject({ holdId: idSchema }),
        query: NO_QUERY,
        body: jsonBody(bodySchema),
      },
      responses: responses({ 200: ['The hold.', holdViewSchema] }, 409, 410, 413, 415, 422),
    }),
    async (context) => {
      const { holdId } = context.req.valid('param');
      return Response.json(await decideHold(context.var.scope, holdId, context.req.valid('json')));
    },
  );
}

/** Records a caller's decision on a hold, and returns the hold. */
export async function decideHold(
  scope: RequestScope,
  holdId: string,
  { digest, decision, onBehalfOf, grant: grantRequest, shown }: DecisionBody,
): Promise<HoldView> {
  const { desk, caller, access, rules } = scope;
  const hold = await desk.hold(holdId);
  await access.require('read', { kind: 'hold', hold });
  const delegators = await actingFor(scope, onBehalfOf);
  await requireMayDecide(desk, caller, hold, delegators);
  requireNoPlaceholder(hold, decision, rules.redaction);
  requireVisibleMembers(hold, grantRequest, rules.redaction);
  const { person: by, roles } = caller;
  await desk.decide(holdId, decision, {
    by,
    roles,
    digest,
    grant: grantRequest,
    shown,
    onBehalfOf: delegators[0],
  });
  const decided = await desk.hold(holdId);
  return new HoldViewer(scope).whole(decided, decided.decisions);
}

/** Returns the delegator with an id, from whom the caller has a delegation. */
async function actingFor(
  { desk, caller }: RequestScope,
  id: string | undefined,
): Promise<readonly (Delegator | undefined)[]> {
  if (id === undefined) return [undefined];
  const delegators = await desk.delegatorsOf(caller.person);
  return delegators.filter((one) => isSamePerson(one, { id }));
}

/** Rejects a grant for redacted members: an approver who learns if they match could guess them. */
function requireVisibleMembers(
  hold: HoldRow,
  grantRequest: GrantRequest | undefined,
  redaction: Redaction,
): void {
  if (grantRequest === undefined || typeof grantRequest.match === 'string') return;
  const { toolName } = hold;
  if (!redaction.isAbout(toolName)) return;
  const visible = redaction.argsOf({ toolName, args: approvedArgs(hold) });
  if (contains(visible, grantRequest.match.args)) return;
  throw new DeskError(
    'grant-does-not-fit',
    'The visible arguments of this call do not have these members. Nothing was written. Use members that the hold shows.',
  );
}

/**
 * Rejects an edit that contains the placeholder of a redacted value. If the desk put the value back, an
 * approver could send a secret that they cannot see to a recipient of their choice.
 */
function requireNoPlaceholder(hold: HoldRow, decision: Decision, redaction: Redaction): void {
  const args = editedArgs(decision);
  if (args === undefined) return;
  const path = redaction.placeholderIn(hold, args);
  if (path === undefined) return;
  throw new HttpProblem({
    status: 422,
    code: 'redacted-value',
    message: `\`${path}\` is the placeholder of a redacted value. Nothing was written. Pass the value, or deny the call.`,
    details: { errors: [{ path, message: 'is the placeholder of a redacted value' }] },
  });
}
