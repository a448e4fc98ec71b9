import { createRoute, z } from '@hono/zod-openapi';
import type { HoldRow } from '../../model/hold-row.ts';
import { HOLD_ORDER, type HoldQuery, type Page } from '../../model/page.ts';
import { type FilteredList, filteredPage } from '../filtered-page.ts';
import { HoldViewer } from '../hold-viewer.ts';
import { responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { holdDetailSchema, type HoldDetailView, decisionView } from '../views/decision-view.ts';
import { holdStateSchema, type HoldView, holdViewSchema } from '../views/hold-view.ts';
import {
  booleanParam,
  definedMembers,
  idPrefixParam,
  idSchema,
  listParam,
  nameSchema,
  NO_QUERY,
  pageParams,
  pageSchema,
  timeParam,
} from '../views/schemas.ts';

/** The holds that a caller selects. */
export interface HoldListQuery
  extends Omit<HoldQuery, 'createdAfter' | 'createdBefore' | 'eligible'> {
  /** Only holds that the caller may approve and has not approved yet. */
  readonly mine?: boolean | undefined;
  /** Only holds that were created after this time, in ISO 8601. */
  readonly createdAfter?: string | undefined;
  /** Only holds that were created before this time, in ISO 8601. */
  readonly createdBefore?: string | undefined;
}

const tags = ['Holds'];

/** Serves holds: list and read. */
export function serveHolds(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/holds',
      operationId: 'listHolds',
      tags,
      summary: 'Lists holds, the oldest first',
      description: 'Without `states`, only open holds.',
      request: {
        query: z.strictObject({
          ...pageParams,
          idPrefix: idPrefixParam,
          states: listParam(holdStateSchema),
          mine: booleanParam.openapi({
            description: 'true: only holds that the caller may approve and has not approved yet.',
          }),
          runId: nameSchema.optional(),
          conversationId: nameSchema.optional(),
          tool: nameSchema.optional().openapi({ description: 'The name of the tool.' }),
          agent: nameSchema.optional(),
          requester: nameSchema.optional().openapi({ description: 'The id of the requester.' }),
          createdAfter: timeParam,
          createdBefore: timeParam,
          text: nameSchema.optional().openapi({
            description:
              'Text in the name of the tool, the arguments, the preview or the requester, in any letter case.',
          }),
        }),
      },
      responses: responses({ 200: ['A page of holds.', pageSchema(holdViewSchema)] }),
    }),
    async (context) => {
      const { scope } = context.var;
      const { mine, ...query } = definedMembers(context.req.valid('query'));
      const { person, roles } = scope.caller;
      const viewer = new HoldViewer(scope);
      const delegators = mine ? await viewer.delegators() : [];
      const eligible = mine ? { ...person, roles, delegators } : undefined;
      const holds: FilteredList<HoldRow> = {
        order: HOLD_ORDER,
        list: (page) => scope.desk.holds({ ...query, ...page, eligible }),
        async filter(rows) {
          const readable = await scope.access.readable(rows, (hold) => ({ kind: 'hold', hold }));
          return mine ? viewer.awaitingCaller(readable) : readable;
        },
      };
      const { items, next } = await filteredPage(holds, query);
      return Response.json({ items: await viewer.list(items), next } satisfies Page<HoldView>);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/holds/{holdId}',
      operationId: 'getHold',
      tags,
      summary: 'Returns a hold with its schema and the decisions on it',
      request: { params: z.strictObject({ holdId: idSchema }), query: NO_QUERY },
      responses: responses({ 200: ['The hold.', holdDetailSchema] }),
    }),
    async (context) => {
      const { scope } = context.var;
      const hold = await scope.desk.hold(context.req.valid('param').holdId);
      const { decisions } = hold;
      await scope.access.require('read', { kind: 'hold', hold });
      const secrets = await scope.secrets.of(hold.conversationId);
      const { redaction } = scope.rules;
      const view: HoldDetailView = {
        hold: await new HoldViewer(scope).whole(hold, decisions),
        decisions: decisions.map((row) => decisionView(row, hold.toolName, redaction, secrets)),
      };
      return Response.json(view);
    },
  );
}
