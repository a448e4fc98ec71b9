import type { AuditRow } from '../model/audit-row.ts';

const FIELDS: readonly (keyof AuditRow)[] = [
  'tenant',
  'runId',
  'number',
  'at',
  'kind',
  'by',
  'data',
  'previous',
  'hash',
];

/**
 * An entry that comes from outside; `undefined` if it is none. What the hash is not over must not be in it,
 * or somebody could add it.
 */
export function readEntry(value: unknown): AuditRow | undefined {
  if (!isRecord(value) || !hasOnly(value, FIELDS)) return undefined;
  const { tenant, runId, number, at, kind, by, data, previous, hash } = value;
  const texts = [tenant, runId, kind, previous, hash];
  const isEntry =
    texts.every((text) => typeof text === 'string') &&
    Number.isSafeInteger(number) &&
    Number.isSafeInteger(at) &&
    (by === undefined || isPerson(by)) &&
    isRecord(data);
  // All fields were looked at; kinds of later versions are entries, too.
  return isEntry ? (value as unknown as AuditRow) : undefined;
}

function isPerson(value: unknown): boolean {
  if (!isRecord(value) || !hasOnly(value, ['id', 'name'])) return false;
  const { id, name } = value;
  return typeof id === 'string' && (name === undefined || typeof name === 'string');
}

function hasOnly(value: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
