import { z } from '@hono/zod-openapi';
import type { HoldQuery, Page } from '../../model/page.ts';
import { findHolds } from '../find-holds.ts';
import { holdStateSchema, type HoldView, holdView, holdViewSchema } from '../views/hold-view.ts';
import { pageQueryShape, pageSchema, queryOf } from '../views/page-view.ts';
import type { Endpoint } from './endpoint.ts';
import { nameSchema } from './params.ts';

export const listHolds: Endpoint<unknown, HoldQuery, unknown, Page<HoldView>> = {
  method: 'get',
  path: '/holds',
  name: 'listHolds',
  summary:
    'Holds, those that have waited longest first; those that are open unless said otherwise.',
  query: z.strictObject({
    ...pageQueryShape,
    states: z.array(holdStateSchema).max(20).optional(),
    runId: nameSchema.optional(),
    conversationId: nameSchema.optional(),
    text: nameSchema
      .optional()
      .openapi({ description: 'What must occur in the tool, its arguments or its preview.' }),
  }),
  status: 200,
  result: pageSchema(holdViewSchema),
  async handle({ desk, query, rules: { redaction }, secrets }) {
    const { items, next } = await findHolds(desk, queryOf(query), redaction, secrets);
    const views: HoldView[] = [];
    for (const hold of items) {
      views.push(holdView(hold, redaction, await secrets.of(hold.conversationId)));
    }
    return { items: views, next };
  },
};
