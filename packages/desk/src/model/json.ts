import type { JsonValue } from 'holdpoint';

/** Returns the JSON form of a value as a frozen copy; `null` if it has none. */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : frozenJson(text);
}

/** A JSON text as frozen data. */
export function frozenJson(text: string): JsonValue {
  return freezeJson(JSON.parse(text));
}

/** Freezes JSON, inside too. */
function freezeJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freezeJson(member);
  return Object.freeze(value);
}
