import {
  isJsonScalar,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
} from '../../internal/json.ts';
import { type Format, isFiniteNumber, type Read, same } from './format.ts';
import type { JsonPath } from './json-path.ts';

/** JSON of any shape. */
export interface JsonFormats {
  /** Any JSON value. */
  readonly value: Format<JsonValue>;
  /** Any JSON object. */
  readonly object: Format<JsonObject>;
}

/** Creates formats for JSON of any shape; `readScalar` reads values that are neither arrays nor objects. */
export function jsonFormats(readScalar: Read<JsonValue>): JsonFormats {
  return {
    value: same((value, path) => read(value, { path, top: path, depth: 0 }), isJsonScalar),
    object: same((value, path) =>
      isPlainObject(value)
        ? readObject(value, { path, top: path, depth: 0 })
        : path.mismatch('an object', value),
    ),
  };

  function read(value: unknown, at: Position): JsonValue {
    if (Array.isArray(value)) return readArray(value, at);
    return isPlainObject(value) ? readObject(value, at) : readScalar(value, at.path);
  }

  function readArray(value: readonly unknown[], at: Position): JsonValue {
    requireDepth(at);
    const items: JsonValue[] = [];
    for (const [index, item] of value.entries()) {
      items.push(isJsonScalar(item) ? item : read(item, nested(at, index)));
    }
    return Object.freeze(items);
  }

  function readObject(value: Readonly<Record<string, unknown>>, at: Position): JsonObject {
    requireDepth(at);
    // The copy has own members only, so assigning to a member named `__proto__` is safe.
    const members: Record<string, unknown> = { ...value };
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (isJsonScalar(member)) continue;
      if (member === undefined) delete members[name];
      else members[name] = read(member, nested(at, name));
    }
    // Each member was read.
    return Object.freeze(members) as JsonObject;
  }
}

interface Position {
  readonly path: JsonPath;
  /** The path where the JSON value starts. */
  readonly top: JsonPath;
  readonly depth: number;
}

function nested({ path, top, depth }: Position, step: string | number): Position {
  return { path: path.at(step), top, depth: depth + 1 };
}

function requireDepth({ top, depth }: Position): void {
  if (depth < MAX_DEPTH) return;
  // The path of the top helps the reader of the error; that of level 200 does not.
  top.fail(
    `Expected at most ${MAX_DEPTH} levels of nesting, found more, or a value that contains itself.`,
  );
}

/** Reads a JSON value that is neither an array nor an object. */
export function readLeaf(value: unknown, path: JsonPath): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'number') return path.mismatch('a JSON value', value);
  // JSON text can contain infinite numbers: `1e999` parses to Infinity.
  return isFiniteNumber(value) ? value : path.mismatch('a finite number', value);
}

const { value, object } = jsonFormats(readLeaf);

/** Any JSON value. */
export const jsonFormat: Format<JsonValue> = value;

/** Any JSON object. */
export const jsonObjectFormat: Format<JsonObject> = object;
