import { isPlainObject, type JsonObject, type JsonValue, MAX_DEPTH, setOwn } from '../json.ts';
import type { Trail } from './trail.ts';

/** Reads any JSON as it is. */
export function readJson(value: unknown, trail: Trail): JsonValue {
  return copy(value, trail, 0);
}

/** Reads any JSON object as it is. */
export function readJsonObject(value: unknown, trail: Trail): JsonObject {
  return isPlainObject(value) ? copyObject(value, trail, 0) : trail.mismatch('an object', value);
}

function copy(value: unknown, trail: Trail, depth: number): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // Also text can hold these: `1e999` parses to Infinity.
      return Number.isFinite(value) ? value : trail.mismatch('a finite number', value);
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return copyArray(value, trail, depth);
      if (isPlainObject(value)) return copyObject(value, trail, depth);
  }
  return trail.mismatch('a JSON value', value);
}

function copyArray(value: readonly unknown[], trail: Trail, depth: number): JsonValue {
  if (depth >= MAX_DEPTH) failAtTop(trail, depth);
  const items: JsonValue[] = [];
  for (let index = 0; index < value.length; index++) {
    trail.enter(index);
    items.push(copy(value[index], trail, depth + 1));
    trail.leave();
  }
  return Object.freeze(items);
}

function copyObject(value: Record<string, unknown>, trail: Trail, depth: number): JsonObject {
  if (depth >= MAX_DEPTH) failAtTop(trail, depth);
  const members: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    trail.enter(key);
    setOwn(members, key, copy(member, trail, depth + 1));
    trail.leave();
  }
  return Object.freeze(members);
}

/** The place that helps is where the deep value starts, not its two-hundredth level. */
function failAtTop(trail: Trail, depth: number): never {
  trail.leave(depth);
  return trail.fail(
    `Expected at most ${MAX_DEPTH} levels of nesting, found more, or a value that contains itself.`,
  );
}
