import { z } from '@hono/zod-openapi';
import type { GrantQuery, Page } from '../../model/page.ts';
import { grantSchema, type GrantView, grantView } from '../views/grant-view.ts';
import { pageQueryShape, pageSchema, queryOf } from '../views/page-view.ts';
import type { Endpoint } from './endpoint.ts';
import { booleanParam } from './params.ts';

export const listGrants: Endpoint<unknown, GrantQuery, unknown, Page<GrantView>> = {
  method: 'get',
  path: '/grants',
  name: 'listGrants',
  summary: 'Approvals that were given in advance, the latest first.',
  query: z.strictObject({
    ...pageQueryShape,
    live: booleanParam.openapi({ description: 'Only those that may still decide something.' }),
  }),
  status: 200,
  result: pageSchema(grantSchema),
  async handle({ desk, query, rules: { redaction }, secrets }) {
    const { items, next } = await desk.grants(queryOf(query));
    await secrets.load(items.map(({ conversationId }) => conversationId));
    const views: GrantView[] = [];
    for (const grant of items) {
      views.push(grantView(grant, redaction, await secrets.of(grant.conversationId)));
    }
    return { items: views, next };
  },
};
