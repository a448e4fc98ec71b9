import { createRoute, z } from '@hono/zod-openapi';
import type { AuditProblem } from '../../audit/audit-problem.ts';
import { verifyAudit } from '../../audit/verify-audit.ts';
import type { Desk } from '../../desk/desk.ts';
import type { AuditRow } from '../../model/audit-row.ts';
import type { Page } from '../../model/page.ts';
import { responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { type AuditView, auditView, auditViewSchema } from '../views/audit-view.ts';
import { idSchema, NO_QUERY, pageParams, pageSchema } from '../views/schemas.ts';
import { numberCursor } from './number-cursor.ts';

/** The result of verifying the audit of a run. */
export interface AuditVerificationView {
  readonly ok: boolean;
  readonly problems: readonly AuditProblem[];
  readonly checkedEntries: number;
  /** Changes to the audit that this verification cannot find, as sentences. */
  readonly blindSpots: readonly string[];
}

const verificationSchema = z
  .strictObject({
    ok: z.boolean(),
    // Each kind of problem has further members, which clients do not need to know.
    problems: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
    checkedEntries: z.number(),
    blindSpots: z.array(z.string()),
  })
  .openapi('AuditVerification');

const params = z.strictObject({ runId: idSchema });
const tags = ['Audit'];

/** Serves the audit of runs. */
export function serveAudit(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/runs/{runId}/audit',
      operationId: 'listAuditEntries',
      tags,
      summary: 'Lists the audit entries of a run, the oldest first',
      request: { params, query: z.strictObject(pageParams) },
      responses: responses({ 200: ['A page of audit entries.', pageSchema(auditViewSchema)] }),
    }),
    async (context) => {
      const { desk, access } = context.var.scope;
      const { runId } = context.req.valid('param');
      const { after, limit = 50 } = context.req.valid('query');
      // An audit without entries does not show to which tenant the run belongs.
      await access.require('read', { kind: 'run', run: await desk.run(runId) });
      // One more entry shows if there is another page.
      const entries = await desk.audit(runId, numberCursor.read(after), limit + 1);
      const items = entries.slice(0, limit).map(auditView);
      const last = entries.length > limit ? items.at(-1) : undefined;
      const page: Page<AuditView> = { items, next: last && numberCursor.write(last.number) };
      return Response.json(page);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/runs/{runId}/audit/verification',
      operationId: 'verifyAudit',
      tags,
      summary: 'Verifies the audit of a run',
      description: 'Reports missing entries and entries that do not match the hash chain.',
      request: { params, query: NO_QUERY },
      responses: responses({ 200: ['The result of the verification.', verificationSchema] }),
    }),
    async (context) => {
      const { desk, access } = context.var.scope;
      const { runId } = context.req.valid('param');
      await access.requireRun('read', runId);
      return Response.json(await verificationOf(desk, runId));
    },
  );
}

async function verificationOf(desk: Desk, runId: string): Promise<AuditVerificationView> {
  // The head is read before the entries, so entries that are written at this time follow it.
  const { auditCount, auditHash } = await desk.run(runId);
  let head: string | undefined;
  const report = await verifyAudit({
    tenant: desk.tenant,
    entries: entriesOf(desk, runId, (entry) => {
      if (entry.number === auditCount) head = entry.hash;
    }),
  });
  const problems = [...report.problems];
  if (head !== auditHash) {
    problems.push({
      kind: 'missing',
      runId,
      number: auditCount,
      message: `The last audit entry of the run, number ${auditCount}, is missing or was replaced.`,
    });
  }
  const { entries: checkedEntries, blindSpots } = report;
  return { ok: problems.length === 0, problems, checkedEntries, blindSpots };
}

const PAGE = 500;

async function* entriesOf(
  desk: Desk,
  runId: string,
  onEntry: (entry: AuditRow) => void,
): AsyncGenerator<AuditRow> {
  let after = 0;
  for (;;) {
    const rows = await desk.audit(runId, after, PAGE);
    for (const row of rows) {
      onEntry(row);
      yield row;
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.number ?? after;
  }
}
