import { InvalidJsonError } from '../errors/invalid-json-error.ts';

/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A frozen copy of `value` as JSON would hold it; the original is left as it is.
 *
 * Dates and other objects with `toJSON` are converted, `undefined` members are left out and a bare
 * `undefined` becomes `null`; other objects are copied by their own fields. What JSON cannot hold
 * (functions, symbols, bigint, NaN, cycles, maps, sets, bytes, errors, promises) is an error that
 * names its place, starting at `path`.
 */
export function toFrozenJson(value: unknown, path: string): JsonValue {
  return copy(value, { key: path, value: undefined, parent: undefined, depth: 0 });
}

/** The way down to the value being copied: names the place of a mistake and finds cycles. */
interface Place {
  readonly key: string | number;
  readonly value: unknown;
  readonly parent: Place | undefined;
  readonly depth: number;
}

/** How deep a value may be nested; what is deeper could not be read back. */
export const MAX_DEPTH = 200;

function copy(value: unknown, place: Place): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return null;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw unholdable(place, `${value}; use a finite number or null`);
    case 'object':
      return value === null ? null : copyObject(value, place);
    default:
      throw unholdable(place, `a ${typeof value}; use plain data`);
  }
}

function copyObject(value: object, place: Place): JsonValue {
  const depth = place.depth + 1;
  if (depth > MAX_DEPTH) throw unholdable(place, `more than ${MAX_DEPTH} levels here; flatten it`);
  for (let above: Place | undefined = place; above; above = above.parent) {
    if (above.value === value) throw unholdable(place, 'a value that contains itself');
  }
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      items.push(isLeaf(item) ? item : copy(item, { key: index, value, parent: place, depth }));
    }
    return Object.freeze(items);
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return copy(value.toJSON(), { key: '', value, parent: place, depth });
  }
  if (UNHOLDABLE.some((type) => value instanceof type) || ArrayBuffer.isView(value)) {
    throw unholdable(place, `a ${value.constructor.name}; use plain objects and arrays`);
  }
  const members: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    setOwn(
      members,
      key,
      isLeaf(member) ? member : copy(member, { key, value, parent: place, depth }),
    );
  }
  return Object.freeze(members);
}

/** Objects whose own fields say nothing of what they hold. */
const UNHOLDABLE = [Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer, RegExp, Error];

function isLeaf(value: unknown): value is string | boolean | null {
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function unholdable(place: Place, what: string): InvalidJsonError {
  let path = '';
  for (let at: Place | undefined = place; at; at = at.parent) {
    if (at.key === '') continue;
    const step = typeof at.key === 'number' ? `[${at.key}]` : at.parent ? `.${at.key}` : at.key;
    path = step + path;
  }
  return new InvalidJsonError(path, `JSON cannot hold ${what}.`);
}

/** Sets an own property, also where the name is one that assignment treats specially. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    target[key] = value;
  }
}

/** Whether `value` is an object literal or an object without a prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Freezes plain objects and arrays in place, all the way down; other objects are left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
