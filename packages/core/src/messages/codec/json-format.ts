import {
  isJsonScalar,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
} from '../../internal/json.ts';
import { type Format, isFiniteNumber, type Read } from './format.ts';
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
    value: {
      read: (value, path) => read(value, topOf(path, false)),
      write: (value, path) => read(value, topOf(path, true)),
      accepts: isJsonScalar,
    },
    object: {
      read: (value, path) => readTop(value, topOf(path, false)),
      write: (value, path) => readTop(value, topOf(path, true)),
    },
  };

  function readTop(value: unknown, at: Position): JsonObject {
    return isPlainObject(value) ? readObject(value, at) : at.path.mismatch('an object', value);
  }

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
    let members: Record<string, unknown> | undefined;
    if (!at.isFrozenKept || !Object.isFrozen(value)) members = { ...value };
    const source = members ?? value;
    for (const name of Object.keys(source)) {
      const member = source[name];
      if (isJsonScalar(member)) continue;
      const known = member === undefined ? undefined : read(member, nested(at, name));
      if (known !== undefined && known === member) continue;
      members ??= { ...value };
      if (known === undefined) delete members[name];
      else members[name] = known;
    }
    // Each member was read.
    return (members === undefined ? value : Object.freeze(members)) as JsonObject;
  }
}

interface Position {
  readonly path: JsonPath;
  /** The path where the JSON value starts. */
  readonly top: JsonPath;
  readonly depth: number;
  /** True if a frozen object is kept without a copy: the value is written, and not read. */
  readonly isFrozenKept: boolean;
}

function topOf(path: JsonPath, isFrozenKept: boolean): Position {
  return { path, top: path, depth: 0, isFrozenKept };
}

function nested({ path, top, depth, isFrozenKept }: Position, step: string | number): Position {
  return { path: path.at(step), top, depth: depth + 1, isFrozenKept };
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
