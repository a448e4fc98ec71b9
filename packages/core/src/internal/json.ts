import { InvalidJsonError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';

/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Returns a frozen copy of `value` in its JSON form.
 *
 * Dates and other objects with `toJSON` are converted. `undefined` members are omitted, and a bare
 * `undefined` becomes `null`. Other objects are copied by their own fields. Throws an error with
 * the path of a value that JSON cannot hold: functions, symbols, bigint, NaN, cycles, maps, sets,
 * bytes, errors and promises. The path starts with `path`, and with the owner `of` it if there is
 * one.
 */
export function toFrozenJson(value: unknown, path: string, of?: string): JsonValue {
  return copy(value, { key: path, of, parent: undefined, depth: 0 });
}

/** The path to the value being copied, for errors and to find cycles. */
interface CopyPath {
  readonly key: string | number;
  /** The object with a member by this key; at the start of the path, the name of the owner. */
  readonly of: unknown;
  readonly parent: CopyPath | undefined;
  readonly depth: number;
}

/** The maximum depth of a value; a deeper one could not be read back. */
export const MAX_DEPTH = 200;

function copy(value: unknown, path: CopyPath): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return null;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw notSerializable(path, `${value}; use a finite number or null`);
    case 'object':
      return value === null ? null : copyObject(value, path);
    default:
      throw notSerializable(path, `a ${typeof value}; use plain data`);
  }
}

function copyObject(value: object, path: CopyPath): JsonValue {
  const depth = path.depth + 1;
  if (depth > MAX_DEPTH)
    throw notSerializable(path, `more than ${MAX_DEPTH} levels here; flatten it`);
  for (let above: CopyPath | undefined = path; above; above = above.parent) {
    if (above.of === value) throw notSerializable(path, 'a value that contains itself');
  }
  if (ArrayBuffer.isView(value)) throw notSerializable(path, 'bytes; use binaryContent for a file');
  if (Array.isArray(value)) {
    // `Array.from` visits the holes of a sparse list, which JSON holds as `null`.
    return Object.freeze(
      Array.from(value, (item, index) =>
        isJsonScalar(item) ? item : copy(item, { key: index, of: value, parent: path, depth }),
      ),
    );
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    // JSON defines the parameter of this function.
    const json = callToJson(value, value.toJSON as (key: string) => unknown, path);
    return copy(json, { key: '', of: value, parent: path, depth });
  }
  if (!isPlainObject(value) && !isSerializable(value)) {
    throw notSerializable(
      path,
      `an instance of ${value.constructor.name}; use plain objects and arrays`,
    );
  }
  const members: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    // Every object has string keys.
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (isJsonScalar(member)) defineOwn(members, key, member);
    else if (member !== undefined)
      defineOwn(members, key, copy(member, { key, of: value, parent: path, depth }));
  }
  return Object.freeze(members);
}

/** Returns whether JSON represents a value exactly. */
export function isJsonScalar(value: unknown): value is string | number | boolean | null {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value === null ||
    Number.isFinite(value)
  );
}

/** Classes whose instances have content outside of their own fields. */
const NOT_SERIALIZABLE = [Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer, RegExp, Error];

/** Returns whether the own fields of a class instance are its content. */
function isSerializable(value: object): boolean {
  return Object.keys(value).length > 0 && !NOT_SERIALIZABLE.some((type) => value instanceof type);
}

function callToJson(value: object, toJson: (key: string) => unknown, path: CopyPath): unknown {
  try {
    return toJson.call(value, '');
  } catch (error) {
    throw new InvalidJsonError(pathOf(path), messageOf(error));
  }
}

function notSerializable(path: CopyPath, what: string): InvalidJsonError {
  return new InvalidJsonError(pathOf(path), `JSON cannot hold ${what}.`);
}

function pathOf(path: CopyPath): string {
  let text = '';
  for (let at: CopyPath | undefined = path; at; at = at.parent) {
    if (at.key === '') continue;
    text = stepTo(at) + text;
  }
  return text;
}

function stepTo({ key, of, parent }: CopyPath): string {
  if (typeof key === 'number') return `[${key}]`;
  if (parent !== undefined) return `.${key}`;
  return of === undefined ? key : `${key} of '${of}'`;
}

/** Sets an own property, even if its name is `__proto__`, which assignment treats specially. */
export function defineOwn<T>(target: Record<string, T>, key: string, value: T): void {
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

/** Returns whether an object has no members. */
export function isEmptyObject(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** Returns whether `value` is an object literal or an object without a prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Freezes plain objects and arrays in place and deeply. Other objects are not changed. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  // Frozen before its members, so that a value that contains itself does not recurse without an
  // end.
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/**
 * Copies plain objects, arrays, dates, maps and sets, and freezes the plain objects and arrays. Other objects are
 * not copied.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  // A copy has the type of its original.
  return copyPlain(value, undefined) as T;
}

/** `outer`: the copies so far, by their originals, for values that contain themselves. */
function copyPlain(value: unknown, outer: Map<object, object> | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = outer?.get(value);
  if (known !== undefined) return known;
  if (!Array.isArray(value) && !isPlainObject(value)) return copyBuiltIn(value, outer ?? new Map());
  const copied = shallowCopy(value);
  let copies = outer?.set(value, copied);
  for (const key of Object.keys(copied)) {
    const member = copied[key];
    if (typeof member !== 'object' || member === null) continue;
    copies ??= new Map([[value, copied]]);
    copied[key] = copyPlain(member, copies);
  }
  return Object.freeze(copied);
}

function shallowCopy(value: readonly unknown[] | Record<string, unknown>): Record<string, unknown> {
  // The keys of an array are names of its items.
  if (Array.isArray(value)) return [...value] as unknown as Record<string, unknown>;
  return Object.getPrototypeOf(value) === null ? { __proto__: null, ...value } : { ...value };
}

/** Copies dates, maps and sets, because freezing does not keep them from being changed. */
function copyBuiltIn(value: object, copies: Map<object, object>): unknown {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Map) {
    const entries = new Map<unknown, unknown>();
    copies.set(value, entries);
    for (const [key, item] of value) entries.set(copyPlain(key, copies), copyPlain(item, copies));
    return entries;
  }
  if (value instanceof Set) {
    const items = new Set<unknown>();
    copies.set(value, items);
    for (const item of value) items.add(copyPlain(item, copies));
    return items;
  }
  return value;
}

/** Returns whether two JSON values are equal; the order of members does not matter. */
export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item: JsonValue, index) => isSameJson(item, other[index] as JsonValue))
    );
  }
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  // Neither is a list, so both are objects.
  const first = one as JsonObject;
  const second = other as JsonObject;
  return keys.every(
    (key) =>
      Object.hasOwn(second, key) && isSameJson(first[key] as JsonValue, second[key] as JsonValue),
  );
}
