import { z } from '@hono/zod-openapi';
import type { AuditProblem } from '../../audit/audit-problem.ts';
import { verifyAudit as verify } from '../../audit/verify-audit.ts';
import type { Desk } from '../../desk/desk.ts';
import type { AuditRow } from '../../model/audit-row.ts';
import type { Endpoint } from './endpoint.ts';
import { type RunParams, runParams } from './params.ts';

/** What came of verifying the audit of a run. */
export interface AuditVerificationView {
  readonly ok: boolean;
  readonly problems: readonly AuditProblem[];
  readonly checkedEntries: number;
  /** What could have been done to the audit without showing here, in sentences. */
  readonly blindSpots: readonly string[];
}

export const verifyAudit: Endpoint<RunParams, unknown, unknown, AuditVerificationView> = {
  method: 'get',
  path: '/runs/{runId}/audit/verification',
  name: 'verifyAudit',
  summary: 'Whether the entries of the audit of a run fit each other, and all are there.',
  params: runParams,
  status: 200,
  result: z
    .strictObject({
      ok: z.boolean(),
      // Each kind of problem has members of its own, which clients do not have to know.
      problems: z.array(
        z.looseObject({ kind: z.string(), message: z.string() }),
      ) as unknown as z.ZodType<readonly AuditProblem[]>,
      checkedEntries: z.number(),
      blindSpots: z.array(z.string()),
    })
    .openapi('AuditVerification'),
  async handle({ desk, params: { runId }, access }) {
    await access.requireRun('read', runId);
    // Before the entries: what is written meanwhile comes after it.
    const { auditCount, auditHash } = await desk.run(runId);
    let head: string | undefined;
    const report = await verify({
      tenant: desk.tenant,
      entries: entriesOf(desk, runId, (entry) => {
        if (entry.number === auditCount) head = entry.hash;
      }),
    });
    const problems = [...report.problems];
    if (head !== auditHash) problems.push(notTheEnd(runId, auditCount));
    const { entries: checkedEntries, blindSpots } = report;
    return { ok: problems.length === 0, problems, checkedEntries, blindSpots };
  },
};

const PAGE = 500;

async function* entriesOf(
  desk: Desk,
  runId: string,
  seen: (entry: AuditRow) => void,
): AsyncGenerator<AuditRow> {
  let after = 0;
  for (;;) {
    const rows = await desk.audit(runId, after, PAGE);
    for (const row of rows) {
      seen(row);
      yield row;
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.number ?? after;
  }
}

function notTheEnd(runId: string, number: number): AuditProblem {
  return {
    kind: 'missing',
    runId,
    number,
    message: `The run says that its audit has an entry ${number}, which is not there or another one.`,
  };
}
