import { z } from '@hono/zod-openapi';
import type { AuditRow } from '../../model/audit-row.ts';
import { isoTime, jsonObjectSchema, personSchema, timeSchema } from './schemas.ts';

/**
 * An entry of the audit of a run, complete, so that `verifyAudit` accepts it. Entries contain no value that
 * approvers must not see.
 */
export type AuditView = Omit<AuditRow, 'kind' | 'at'> & {
  readonly kind: string;
  readonly at: string;
};

export const auditViewSchema: z.ZodType<AuditView> = z
  .strictObject({
    tenant: z.string(),
    runId: z.string(),
    number: z.number(),
    at: timeSchema,
    kind: z.string(),
    by: personSchema.optional(),
    salt: z.string().optional(),
    data: jsonObjectSchema,
    previous: z.string(),
    hash: z.string(),
  })
  .openapi('AuditEntry');

export function auditView(row: AuditRow): AuditView {
  const { tenant, runId, number, at, kind, by, salt, data, previous, hash } = row;
  return { tenant, runId, number, at: isoTime(at), kind, by, salt, data, previous, hash };
}
