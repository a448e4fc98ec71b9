import type { AuditRow, PersonCommitment } from './audit-row.ts';
import { hashOf } from './hash.ts';
import { newId } from './new-id.ts';
import type { Person } from './person.ts';

/** An entry before it has its hash. */
export type UnhashedAudit = Omit<AuditRow, 'hash'>;

/**
 * Adds the hash of an entry. It covers the hash of the entry before, and so all earlier entries. A
 * person is covered by a commitment, so that the person can be erased and the hash stays valid.
 */
export function hashedAudit(entry: UnhashedAudit): AuditRow {
  const { by } = entry;
  const committed = by === undefined ? entry : { ...entry, person: commitmentTo(by, newId()) };
  return Object.freeze({ ...committed, hash: auditHash(committed) });
}

/** Returns the hash of an entry. */
export function auditHash(entry: UnhashedAudit): string {
  const { tenant, runId, number, at, kind, by, person, data, previous } = entry;
  if (person === undefined) {
    const { id = null, name = null } = by ?? {};
    return hashOf('holdpoint/audit/1', tenant, runId, number, at, kind, [id, name], data, previous);
  }
  // A stored commitment counts only for an erased person: otherwise the person could be changed unnoticed.
  const { hash } = by === undefined ? person : commitmentTo(by, person.salt ?? '');
  return hashOf('holdpoint/audit/2', tenant, runId, number, at, kind, hash, data, previous);
}

/** Returns an entry without its person. Its hash stays valid, and the person cannot be guessed from it. */
export function withoutPerson(entry: AuditRow): AuditRow {
  const { by: _, person, ...rest } = entry;
  return Object.freeze({ ...rest, ...(person && { person: { hash: person.hash } }) });
}

function commitmentTo({ id, name = undefined }: Person, salt: string): PersonCommitment {
  return { hash: hashOf('holdpoint/audit-person/1', salt, id, name ?? null), salt };
}
