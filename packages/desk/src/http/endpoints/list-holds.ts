import { z } from '@hono/zod-openapi';
import type { HoldRow } from '../../model/hold-row.ts';
import { HOLD_ORDER, type HoldQuery, type Page } from '../../model/page.ts';
import { type FilteredList, filteredPage } from '../filtered-page.ts';
import { HoldViewer } from '../hold-viewer.ts';
import { holdStateSchema, type HoldView, holdViewSchema } from '../views/hold-view.ts';
import { pageQueryShape, pageSchema, queryOf } from '../views/page-view.ts';
import type { Endpoint } from './endpoint.ts';
import { booleanParam, idPrefixSchema, nameSchema } from './params.ts';

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
    idPrefix: idPrefixSchema,
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
    const wanted = queryOf(query);
    const holds: FilteredList<HoldRow> = {
      order: HOLD_ORDER,
      list: (page) => asked.desk.holds({ ...wanted, ...page }),
      async filter(rows) {
        const readable = await asked.access.readable(rows, (hold) => ({ kind: 'hold', hold }));
        return mine ? viewer.waitingForThem(readable) : readable;
      },
    };
    const { items, next } = await filteredPage(holds, wanted);
    return { items: await viewer.list(items), next };
  },
};
