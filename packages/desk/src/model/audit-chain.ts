import type { AuditRow } from './audit-row.ts';
import { hashOf } from './hash.ts';

/** An entry before it has its hash. */
export type UnhashedAudit = Omit<AuditRow, 'hash'>;

/** An entry with its hash, which is over everything in it: the one before included, so over all before it. */
export function hashedAudit(entry: UnhashedAudit): AuditRow {
  return Object.freeze({ ...entry, hash: auditHash(entry) });
}

/** Returns the hash of an entry. */
export function auditHash(entry: UnhashedAudit): string {
  const { tenant, runId, number, at, kind, by, data, previous } = entry;
  const { id = null, name = null } = by ?? {};
  return hashOf('holdpoint/audit/1', tenant, runId, number, at, kind, [id, name], data, previous);
}
