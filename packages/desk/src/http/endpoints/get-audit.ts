import { z } from '@hono/zod-openapi';
import type { Page } from '../../model/page.ts';
import { type AuditView, auditView, auditViewSchema } from '../views/audit-view.ts';
import { pageSchema } from '../views/page-view.ts';
import type { Endpoint } from './endpoint.ts';
import { type RunParams, runParams } from './params.ts';

/** Which entries are wanted. */
export interface AuditQuery {
  /** The number of the last entry that is known. */
  readonly after?: number | undefined;
  /** How many entries; 1,000 unless said otherwise, which is the most. */
  readonly limit?: number | undefined;
}

const MOST = 1_000;

export const getAudit: Endpoint<RunParams, AuditQuery, unknown, Page<AuditView>> = {
  method: 'get',
  path: '/runs/{runId}/audit',
  name: 'getAudit',
  summary: 'The audit of a run, in order; `after` is the number of the last entry that is known.',
  params: runParams,
  query: z.strictObject({
    after: z.coerce.number().int().min(0).optional(),
    limit: z.coerce.number().int().min(1).max(MOST).optional(),
  }),
  status: 200,
  result: pageSchema(auditViewSchema),
  async handle({ desk, params: { runId }, query: { after, limit = MOST }, access }) {
    // An audit without entries says nothing about whose run it is.
    const run = await desk.run(runId);
    await access.require('read', { kind: 'run', run });
    // One more than wanted says whether there are more.
    const entries = await desk.audit(runId, after, limit + 1);
    const items = entries.slice(0, limit).map(auditView);
    const last = items.at(-1);
    return { items, next: entries.length > limit ? String(last?.number) : undefined };
  },
};
