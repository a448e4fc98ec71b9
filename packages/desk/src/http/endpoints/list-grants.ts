import { z } from '@hono/zod-openapi';
import type { GrantRow } from '../../model/grant-row.ts';
import { GRANT_ORDER, type GrantQuery, type Page } from '../../model/page.ts';
import { type FilteredList, filteredPage } from '../filtered-page.ts';
import { grantSchema, type GrantView, grantView } from '../views/grant-view.ts';
import { pageQueryShape, pageSchema, queryOf } from '../views/page-view.ts';
import type { Endpoint } from './endpoint.ts';
import { booleanParam, idPrefixSchema } from './params.ts';

export const listGrants: Endpoint<unknown, GrantQuery, unknown, Page<GrantView>> = {
  method: 'get',
  path: '/grants',
  name: 'listGrants',
  summary: 'Approvals that were given in advance, the latest first.',
  query: z.strictObject({
    ...pageQueryShape,
    idPrefix: idPrefixSchema,
    live: booleanParam.openapi({ description: 'Only those that may still decide something.' }),
  }),
  status: 200,
  result: pageSchema(grantSchema),
  async handle({ desk, query, rules: { redaction }, secrets, access }) {
    const wanted = queryOf(query);
    const grants: FilteredList<GrantRow> = {
      order: GRANT_ORDER,
      list: (page) => desk.grants({ ...wanted, ...page }),
      filter: (rows) => access.readable(rows, (grant) => ({ kind: 'grant', grant })),
    };
    const { items, next } = await filteredPage(grants, wanted);
    await secrets.load(items.map(({ conversationId }) => conversationId));
    const views: GrantView[] = [];
    for (const grant of items) {
      views.push(grantView(grant, redaction, await secrets.of(grant.conversationId)));
    }
    return { items: views, next };
  },
};
