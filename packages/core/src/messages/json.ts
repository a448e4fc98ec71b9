import { InvalidJsonError } from '../errors/invalid-json-error.ts';
import { messageOf } from '../errors/thrown.ts';

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
 * names its place, starting at `path`, and `of` whom that is.
 */
export function toFrozenJson(value: unknown, path: string, of?: string): JsonValue {
  return isLeaf(value) ? value : copy(value, { key: path, of, parent: undefined, depth: 0 });
}

/** The way down to the value being copied: names the place of a mistake and finds cycles. */
interface Place {
  readonly key: string | number;
  /** What has a member by this key; where the way begins, the name of whoever it is from. */
  readonly of: unknown;
  readonly parent: Place | undefined;
  readonly depth: number;
}

/** How deep a value may be nested; what is deeper could not be read back. */
export const MAX_DEPTH = 200;

/** Copies what is no leaf. Whoever calls this asks first: a place need not be made for a leaf. */
function copy(value: unknown, place: Place): JsonValue {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'number':
      throw unholdable(place, `${value}; use a finite number or null`);
    case 'object':
      // What is null is a leaf.
      return copyObject(value!, place);
    default:
      throw unholdable(place, `a ${typeof value}; use plain data`);
  }
}

function copyObject(value: object, place: Place): JsonValue {
  const depth = place.depth + 1;
  if (depth > MAX_DEPTH) throw unholdable(place, `more than ${MAX_DEPTH} levels here; flatten it`);
  for (let above: Place | undefined = place; above; above = above.parent) {
    if (above.of === value) throw unholdable(place, 'a value that contains itself');
  }
  if (ArrayBuffer.isView(value)) throw unholdable(place, 'bytes; use binaryContent for a file');
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      items.push(isLeaf(item) ? item : copy(item, { key: index, of: value, parent: place, depth }));
    }
    return Object.freeze(items);
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const { toJSON } = fields;
  if (typeof toJSON === 'function') {
    // A function, as the line above says; what it takes is up to JSON.
    const toJson = toJSON as (key: string) => unknown;
    const json = callToJson(value, toJson, place);
    return isLeaf(json) ? json : copy(json, { key: '', of: value, parent: place, depth });
  }
  if (!isPlainObject(value) && !isHoldable(value)) {
    throw unholdable(place, `a ${value.constructor.name}; use plain objects and arrays`);
  }
  const members: Record<string, JsonValue> = {};
  for (const key in fields) {
    const member = fields[key];
    if (member === undefined || !hasOwn.call(fields, key)) continue;
    setOwn(
      members,
      key,
      isLeaf(member) ? member : copy(member, { key, of: value, parent: place, depth }),
    );
  }
  return Object.freeze(members);
}

/** Objects whose own fields, should there be any, say nothing of what they hold. */
const UNHOLDABLE = [Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer, RegExp, Error];

/** Whether the own fields of an object that is no plain one say what it holds. */
function isHoldable(value: object): boolean {
  return Object.keys(value).length > 0 && !UNHOLDABLE.some((type) => value instanceof type);
}

function callToJson(value: object, toJson: (key: string) => unknown, place: Place): unknown {
  try {
    return toJson.call(value, '');
  } catch (error) {
    throw new InvalidJsonError(pathOf(place), messageOf(error));
  }
}

/** Whether JSON holds a value as it is. */
function isLeaf(value: unknown): value is string | number | boolean | null {
  const type = typeof value;
  return type === 'string' || type === 'boolean' || value === null || Number.isFinite(value);
}

function unholdable(place: Place, what: string): InvalidJsonError {
  return new InvalidJsonError(pathOf(place), `JSON cannot hold ${what}.`);
}

function pathOf(place: Place): string {
  let path = '';
  for (let at: Place | undefined = place; at; at = at.parent) {
    if (at.key === '') continue;
    path = stepTo(at) + path;
  }
  return path;
}

function stepTo({ key, of, parent }: Place): string {
  if (typeof key === 'number') return `[${key}]`;
  if (parent !== undefined) return `.${key}`;
  return of === undefined ? key : `${key} of '${of}'`;
}

/**
 * In a loop over the members of an object, `hasOwn.call(object, key)` costs nothing: the compiler knows the
 * answer. With `Object.keys` or `Object.hasOwn` the loop takes eight times as long.
 */
export const hasOwn: (key: string) => boolean = Object.prototype.hasOwnProperty;

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

/** Whether an object lists no members. */
export function hasNone(value: object): boolean {
  for (const _ in value) return false;
  return true;
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
  // Frozen before what is in it, so that a value that contains itself comes to an end.
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** A copy of plain objects, arrays, dates, maps and sets, frozen as far as they can be; other objects are taken as they are. */
export function frozenCopy<T>(value: T): T {
  return copyPlain(value, undefined, 0) as T;
}

/** From this depth on the copies are remembered, in case the value contains itself. */
const SUSPICIOUS_DEPTH = 100;

function copyPlain(value: unknown, seen: Map<object, object> | undefined, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen?.get(value);
  if (known !== undefined) return known;
  const copies = seen ?? (depth > SUSPICIOUS_DEPTH ? new Map<object, object>() : undefined);
  if (Array.isArray(value)) return copyList(value, copies, depth);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return copyMembers({ ...value }, value, copies, depth);
  return prototype === null
    ? copyMembers({ __proto__: null, ...value }, value, copies, depth)
    : copyBuiltIn(value, copies, depth);
}

function copyList(
  list: readonly unknown[],
  copies: Map<object, object> | undefined,
  depth: number,
): object {
  const items: unknown[] = [];
  copies?.set(list, items);
  for (const item of list) items.push(copyPlain(item, copies, depth + 1));
  return Object.freeze(items);
}

/** Copies what is in a copy; to spread the object takes a fifth of the time that one member after the other takes. */
function copyMembers(
  members: Record<string, unknown>,
  value: object,
  copies: Map<object, object> | undefined,
  depth: number,
): object {
  copies?.set(value, members);
  for (const key in members) {
    const member = members[key];
    if (typeof member === 'object' && member !== null && hasOwn.call(members, key)) {
      members[key] = copyPlain(member, copies, depth + 1);
    }
  }
  return Object.freeze(members);
}

/** Dates, maps and sets can be changed although they are frozen, so that everybody gets their own. */
function copyBuiltIn(value: object, seen: Map<object, object> | undefined, depth: number): unknown {
  if (value instanceof Date) return new Date(value.getTime());
  if (depth > SUSPICIOUS_DEPTH) return value;
  const copyOf = (item: unknown) => copyPlain(item, seen, depth + 1);
  if (value instanceof Map) {
    return new Map([...value].map(([key, item]) => [copyOf(key), copyOf(item)]));
  }
  return value instanceof Set ? new Set([...value].map(copyOf)) : value;
}
