import { createRoute, z } from '@hono/zod-openapi';
import type { GrantRow } from '../../model/grant-row.ts';
import { GRANT_ORDER, type Page } from '../../model/page.ts';
import { type FilteredList, filteredPage } from '../filtered-page.ts';
import { NO_BODY, responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import { grantSchema, type GrantView, grantView } from '../views/grant-view.ts';
import {
  booleanParam,
  definedMembers,
  idPrefixParam,
  idSchema,
  NO_QUERY,
  pageParams,
  pageSchema,
} from '../views/schemas.ts';

const params = z.strictObject({ grantId: idSchema });
const tags = ['Grants'];

/** Serves grants: list, read and revoke. */
export function serveGrants(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/grants',
      operationId: 'listGrants',
      tags,
      summary: 'Lists grants, the latest first',
      request: {
        query: z.strictObject({
          ...pageParams,
          idPrefix: idPrefixParam,
          live: booleanParam.openapi({
            description: 'true: grants that can still permit a call. false: all others.',
          }),
        }),
      },
      responses: responses({ 200: ['A page of grants.', pageSchema(grantSchema)] }),
    }),
    async (context) => {
      const { scope } = context.var;
      const query = definedMembers(context.req.valid('query'));
      const grants: FilteredList<GrantRow> = {
        order: GRANT_ORDER,
        list: (page) => scope.desk.grants({ ...query, ...page }),
        filter: (rows) => scope.access.readable(rows, (grant) => ({ kind: 'grant', grant })),
      };
      const { items, next } = await filteredPage(grants, query);
      await scope.secrets.load(items.map(({ conversationId }) => conversationId));
      const views: GrantView[] = [];
      for (const grant of items) views.push(await viewOf(scope, grant));
      return Response.json({ items: views, next } satisfies Page<GrantView>);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/grants/{grantId}',
      operationId: 'getGrant',
      tags,
      summary: 'Returns a grant',
      request: { params, query: NO_QUERY },
      responses: responses({ 200: ['The grant.', grantSchema] }),
    }),
    async (context) => {
      const { desk, access } = context.var.scope;
      const grant = await desk.grant(context.req.valid('param').grantId);
      await access.require('read', { kind: 'grant', grant });
      return Response.json(await viewOf(context.var.scope, grant));
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/grants/{grantId}/revoke',
      operationId: 'revokeGrant',
      tags,
      summary: 'Revokes a grant',
      description: 'The grant permits no further call.',
      request: { params, query: NO_QUERY, body: NO_BODY },
      responses: responses({ 200: ['The revoked grant.', grantSchema] }),
    }),
    async (context) => {
      const { desk, caller, access } = context.var.scope;
      const { grantId } = context.req.valid('param');
      await access.requireGrant('revoke', grantId);
      const grant = await desk.revokeGrant(grantId, { by: caller.person });
      return Response.json(await viewOf(context.var.scope, grant));
    },
  );
}

async function viewOf({ rules, secrets }: RequestScope, grant: GrantRow): Promise<GrantView> {
  return grantView(grant, rules.redaction, await secrets.of(grant.conversationId));
}
