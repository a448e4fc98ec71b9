import { createRoute, z } from '@hono/zod-openapi';
import { responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import {
  requestedChangesSchema,
  requestedChangesView,
  type RequestedChangesView,
} from '../views/requested-changes-view.ts';
import { idSchema, NO_QUERY } from '../views/schemas.ts';

/** The changes that approvers requested, the oldest first. */
export interface RequestedChangesList {
  readonly items: readonly RequestedChangesView[];
}

/** Serves the changes that approvers requested from the model. */
export function serveRequestedChanges(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/holds/{holdId}/requested-changes',
      operationId: 'listRequestedChanges',
      tags: ['Holds'],
      summary: 'Lists the changes that approvers requested, with the responses of the model',
      description:
        'The changes that were requested about this hold and about earlier calls of the same tool in its run, the oldest first. Text of a model is untrusted.',
      request: { params: z.strictObject({ holdId: idSchema }), query: NO_QUERY },
      responses: responses({
        200: ['The requested changes.', z.strictObject({ items: z.array(requestedChangesSchema) })],
      }),
    }),
    async (context) => {
      const { scope } = context.var;
      const list: RequestedChangesList = {
        items: await requestedChangesOf(scope, context.req.valid('param').holdId),
      };
      return Response.json(list);
    },
  );
}

async function requestedChangesOf(
  { desk, access, secrets }: RequestScope,
  holdId: string,
): Promise<readonly RequestedChangesView[]> {
  const hold = await desk.hold(holdId);
  await access.require('read', { kind: 'hold', hold });
  const requested = await desk.requestedChanges(holdId);
  if (requested.length === 0) return [];
  const named = requested.flatMap((one) => [one.holdId, ...(one.response?.holdIds ?? [])]);
  const holds = await Promise.all([...new Set(named)].map((id) => desk.hold(id)));
  const readable = await access.readable(holds, (one) => ({ kind: 'hold', hold: one }));
  const holdIds = readable.map(({ id }) => id);
  const isResponseShown = await access.may('read', {
    kind: 'run',
    run: await desk.run(hold.runId),
  });
  const hidden = await secrets.of(hold.conversationId);
  return requested
    .filter((one) => holdIds.includes(one.holdId))
    .map((one) => requestedChangesView(one, hidden, { isResponseShown, holdIds }));
}
