import { createRoute, z } from '@hono/zod-openapi';
import { type ProblemDetails, problemOf } from '../problem-details.ts';
import { jsonBody, problemSchema, responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import { type HoldView, holdViewSchema } from '../views/hold-view.ts';
import { idSchema, nameSchema, NO_QUERY } from '../views/schemas.ts';
import { decideHold, digestSchema } from './decide-hold.ts';

/** One of several decisions that an approver confirmed together. */
export interface BulkDecision {
  readonly holdId: string;
  /** The digest of the hold as it was shown. */
  readonly digest: string;
  /** Other kinds of decisions are made on a single hold. */
  readonly decision: {
    readonly kind: 'approve' | 'deny';
    readonly reason?: string | undefined;
  };
  /** The id of the person who delegated the decision to the caller. */
  readonly onBehalfOf?: string | undefined;
}

/** The result of one of several decisions: the hold, or the problem of this decision. */
export type BulkDecisionResult =
  | { readonly holdId: string; readonly ok: true; readonly hold: HoldView }
  | { readonly holdId: string; readonly ok: false; readonly problem: ProblemDetails };

/** The results of several decisions, in the order of the request. */
export interface BulkDecisionResults {
  readonly items: readonly BulkDecisionResult[];
}

const MAX_DECISIONS = 50;

const bodySchema: z.ZodType<readonly BulkDecision[]> = z
  .array(
    z.strictObject({
      holdId: idSchema,
      digest: digestSchema,
      decision: z.strictObject({
        kind: z.enum(['approve', 'deny']),
        reason: z.string().max(100_000).optional(),
      }),
      onBehalfOf: nameSchema.optional(),
    }),
  )
  .min(1)
  .max(MAX_DECISIONS)
  .openapi('BulkDecisions');

const resultSchema = z
  .strictObject({
    items: z.array(
      z.discriminatedUnion('ok', [
        z.strictObject({ holdId: z.string(), ok: z.literal(true), hold: holdViewSchema }),
        z.strictObject({ holdId: z.string(), ok: z.literal(false), problem: problemSchema }),
      ]),
    ),
  })
  .openapi('BulkDecisionResults');

/** Serves requests with decisions on several holds. */
export function serveDecideHolds(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/holds/decisions',
      operationId: 'decideHolds',
      tags: ['Holds'],
      summary: 'Decides several holds',
      description:
        'Each decision is recorded in a transaction of its own. A problem with one of them does not affect the others.',
      request: { query: NO_QUERY, body: jsonBody(bodySchema) },
      responses: responses({ 200: ['The result of each decision.', resultSchema] }, 413, 415),
    }),
    async (context) => {
      const { scope, requestId } = context.var;
      const items: BulkDecisionResult[] = [];
      for (const decision of context.req.valid('json')) {
        items.push(await resultOf(scope, requestId, decision));
      }
      return Response.json({ items } satisfies BulkDecisionResults);
    },
  );
}

async function resultOf(
  scope: RequestScope,
  requestId: string,
  { holdId, digest, decision, onBehalfOf }: BulkDecision,
): Promise<BulkDecisionResult> {
  try {
    const hold = await decideHold(scope, holdId, { digest, decision, onBehalfOf });
    return { holdId, ok: true, hold };
  } catch (error) {
    const { details } = problemOf(error, { requestId, onError: scope.rules.onError });
    return { holdId, ok: false, problem: details };
  }
}
