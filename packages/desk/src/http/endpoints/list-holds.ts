import { z } from '@hono/zod-openapi';
import type { HoldQuery, Page } from '../../model/page.ts';
import { findHolds } from '../find-holds.ts';
import { HoldViewer } from '../hold-viewer.ts';
import { holdStateSchema, type HoldView, holdViewSchema } from '../views/hold-view.ts';
import { pageQueryShape, pageSchema, queryOf } from '../views/page-view.ts';
import type { Endpoint } from './endpoint.ts';
import { booleanParam, nameSchema } from './params.ts';

/** Which holds are wanted by whoever asks. */
export interface HoldListQuery extends HoldQuery {
  /** Only what they may answer, and have not agreed to yet. */
  readonly mine?: boolean | undefined;
}

export const listHolds: Endpoint<unknown, HoldListQuery, unknown, Page<HoldView>> = {
  method: 'get',
  path: '/holds',
  name: 'listHolds',
  summary:
    'Holds, those that have waited longest first; those that are open unless said otherwise.',
  query: z.strictObject({
    ...pageQueryShape,
    states: z.array(holdStateSchema).max(20).optional(),
    mine: booleanParam.openapi({
      description: 'Only what whoever asks may answer, and has not agreed to yet.',
    }),
    runId: nameSchema.optional(),
    conversationId: nameSchema.optional(),
    text: nameSchema
      .optional()
      .openapi({ description: 'What must occur in the tool, its arguments or its preview.' }),
  }),
  status: 200,
  result: pageSchema(holdViewSchema),
  async handle(asked) {
    const { mine, ...query } = asked.query;
    const viewer = new HoldViewer(asked);
    const { items, next } = await findHolds(asked.desk, queryOf(query), async (holds) =>
      mine ? viewer.waitingForThem(holds) : holds,
    );
    return { items: await viewer.list(items), next };
  },
};
