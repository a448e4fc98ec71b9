import { z } from '@hono/zod-openapi';
import { type Page, RUN_ORDER, type RunQuery } from '../../model/page.ts';
import type { RunRow } from '../../model/run-row.ts';
import { type FilteredList, filteredPage } from '../filtered-page.ts';
import { pageQueryShape, pageSchema, queryOf } from '../views/page-view.ts';
import {
  type RunSummary,
  runStateSchema,
  runSummary,
  runSummarySchema,
} from '../views/run-view.ts';
import type { Endpoint } from './endpoint.ts';
import { idPrefixSchema, nameSchema } from './params.ts';

export const listRuns: Endpoint<unknown, RunQuery, unknown, Page<RunSummary>> = {
  method: 'get',
  path: '/runs',
  name: 'listRuns',
  summary: 'Runs, the latest first.',
  query: z.strictObject({
    ...pageQueryShape,
    idPrefix: idPrefixSchema,
    states: z.array(runStateSchema).max(20).optional(),
    agent: nameSchema.optional(),
    conversationId: nameSchema.optional(),
  }),
  status: 200,
  result: pageSchema(runSummarySchema),
  async handle({ desk, query, access }) {
    const wanted = queryOf(query);
    const runs: FilteredList<RunRow> = {
      order: RUN_ORDER,
      list: (page) => desk.runs({ ...wanted, ...page }),
      filter: (rows) => access.readable(rows, (run) => ({ kind: 'run', run })),
    };
    const { items, next } = await filteredPage(runs, wanted);
    return { items: items.map(runSummary), next };
  },
};
