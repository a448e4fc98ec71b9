import type { JsonValue } from 'holdpoint';
import { type Schema, typesOf } from './schema.ts';

/** What a new item of a list begins with: what its schema says, or what the last one was. */
export function emptyFor(schema: Schema, last: JsonValue | undefined): JsonValue {
  const [type = last === undefined ? 'null' : typeOf(last)] = typesOf(schema);
  const EMPTY: Readonly<Record<string, JsonValue>> = {
    array: [],
    boolean: false,
    integer: 0,
    number: 0,
    object: {},
    string: '',
  };
  return Object.hasOwn(EMPTY, type) ? (EMPTY[type] ?? null) : null;
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
