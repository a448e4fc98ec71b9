import { z } from '@hono/zod-openapi';
import type { AuditRow } from '../../model/audit-row.ts';
import { jsonObjectSchema, timeSchema } from './json-schema.ts';
import { personSchema } from './person-view.ts';

/**
 * An entry of the audit of a run, whole, so that `verifyAudit` takes it: there is nothing in it that people
 * are not to see.
 */
export type AuditView = Omit<AuditRow, 'kind'> & { readonly kind: string };

export const auditViewSchema: z.ZodType<AuditView> = z
  .strictObject({
    tenant: z.string(),
    runId: z.string(),
    number: z.number(),
    at: timeSchema,
    kind: z.string(),
    by: personSchema.optional(),
    data: jsonObjectSchema,
    previous: z.string(),
    hash: z.string(),
  })
  .openapi('AuditEntry');

export function auditView(row: AuditRow): AuditView {
  const { tenant, runId, number, at, kind, by, data, previous, hash } = row;
  return { tenant, runId, number, at, kind, by, data, previous, hash };
}
