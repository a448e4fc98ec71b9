import type { AuditRow } from '../model/audit-row.ts';

const FIELDS: readonly (keyof AuditRow)[] = [
  'tenant',
  'runId',
  'number',
  'at',
  'kind',
  'by',
  'salt',
  'data',
  'previous',
  'hash',
];

/**
 * Returns an entry of an exported audit; `undefined` if it is invalid. Members that the hash does not cover are
 * rejected, because they could be added unnoticed.
 */
export function readEntry(value: unknown): AuditRow | undefined {
  if (!isRecord(value) || !hasOnly(value, FIELDS)) return undefined;
  const at = timeOf(value['at']);
  const { tenant, runId, number, kind, by, salt, data, previous, hash } = value;
  const texts = [tenant, runId, kind, previous, hash];
  const isEntry =
    texts.every((text) => typeof text === 'string') &&
    Number.isSafeInteger(number) &&
    Number.isSafeInteger(at) &&
    (by === undefined || isPerson(by)) &&
    isRecord(data) &&
    isSalted(salt, by, data);
  // All fields were validated; kinds of later versions are accepted, too.
  return isEntry ? ({ ...value, at } as unknown as AuditRow) : undefined;
}

/** Returns a time in milliseconds. The desk writes times in ISO 8601 over HTTP. */
function timeOf(at: unknown): unknown {
  if (typeof at !== 'string') return at;
  const time = Date.parse(at);
  return Number.isNaN(time) || new Date(time).toISOString() !== at ? undefined : time;
}

function isPerson(value: unknown): boolean {
  if (!isRecord(value) || !hasOnly(value, ['id', 'name'])) return false;
  const { id, name } = value;
  return typeof id === 'string' && (name === undefined || typeof name === 'string');
}

/** A commitment to a person needs a salt. Without one, no hash covers the salt. */
function isSalted(salt: unknown, by: unknown, data: Record<string, unknown>): boolean {
  const needsSalt = typeof data['person'] === 'string' && by !== undefined;
  return needsSalt ? typeof salt === 'string' : salt === undefined;
}

function hasOnly(value: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
