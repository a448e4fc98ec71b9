import type { AuditRow } from './audit-row.ts';
import { hashOf } from './hash.ts';
import { newId } from './new-id.ts';
import type { Person } from './person.ts';

/** An entry before it has its hash. */
export type UnhashedAudit = Omit<AuditRow, 'hash'>;

/**
 * Adds the hash of an entry. It covers the hash of the entry before, and so all earlier entries. A person is covered
 * by a commitment in `data`, so that the person can be erased and the hash stays valid.
 */
export function hashedAudit(entry: UnhashedAudit): AuditRow {
  const { by, data } = entry;
  if (by === undefined) return Object.freeze({ ...entry, hash: auditHash(entry) });
  const salt = newId();
  const committed = { ...entry, salt, data: { ...data, person: commitmentTo(by, salt) } };
  return Object.freeze({ ...committed, hash: auditHash(committed) });
}

/** Returns the hash of an entry. */
export function auditHash(entry: UnhashedAudit): string {
  const { tenant, runId, number, at, kind, by, salt = '', data, previous } = entry;
  if (!isCommitted(entry)) {
    // Entries from before commitments have the person in the hash.
    const { id = null, name = null } = by ?? {};
    return hashOf('holdpoint/audit/1', tenant, runId, number, at, kind, [id, name], data, previous);
  }
  // The stored commitment counts only for an erased person: otherwise the person could be changed unnoticed.
  const covered = by === undefined ? data : { ...data, person: commitmentTo(by, salt) };
  const unnamed = [null, null];
  return hashOf('holdpoint/audit/1', tenant, runId, number, at, kind, unnamed, covered, previous);
}

/** Returns whether an entry contains a commitment to a person. */
export function isCommitted({ data }: Pick<AuditRow, 'data'>): boolean {
  return typeof data['person'] === 'string';
}

/** Returns an entry without its person. Its hash stays valid, and the person cannot be guessed from it. */
export function withoutPerson(entry: AuditRow): AuditRow {
  const { by: _by, salt: _salt, ...rest } = entry;
  return Object.freeze(rest);
}

function commitmentTo({ id, name = undefined }: Person, salt: string): string {
  return hashOf('holdpoint/audit-person/1', salt, id, name ?? null);
}
