import { isPlainObject, defineOwn } from '../../internal/json.ts';
import { type JsonPath, quote, quoteAll } from './json-path.ts';

/** Validates a value of a document, and returns a frozen copy. Throws an `InvalidJsonError` with the path. */
export type Read<T> = (value: unknown, path: JsonPath) => T;

/** Translates one kind of value between a document and the program. */
export interface Format<T> {
  /** Validates a value of a document, and returns the program's frozen value. */
  readonly read: Read<T>;
  /** Returns the form that the value has in a document. The path uses the program's names. */
  write(value: T, path: JsonPath): unknown;
  /** Returns whether a value is valid, and reading returns the value itself. Missing if reading always makes a copy. */
  accepts?(value: unknown): boolean;
}

/** A value with the same form in a document and in the program. Writing validates it, too. */
export function same<T>(read: Read<T>, accepts?: (value: unknown) => boolean): Format<T> {
  return accepts === undefined ? { read, write: read } : { read, write: read, accepts };
}

/** A value that is neither an object nor an array; `expected` describes it in an error. */
function scalar<T>(accepts: (value: unknown) => value is T, expected: string): Format<T> {
  return same((value, path) => (accepts(value) ? value : path.mismatch(expected, value)), accepts);
}

export const stringFormat: Format<string> = scalar(isString, 'a string');

export const booleanFormat: Format<boolean> = scalar(isBoolean, 'true or false');

export const numberFormat: Format<number> = scalar(isFiniteNumber, 'a finite number');

/** An ISO 8601 date and time. */
export const timestampFormat: Format<string> = matching(
  /^\d{4}-(?:0\d|1[0-2])-[0-3]\dT[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/,
  'an ISO 8601 date and time such as "2026-01-31T12:00:00Z"',
);

/** A string that matches the pattern; `expected` describes it in an error. */
export function matching(pattern: RegExp, expected: string): Format<string> {
  const accepts = (value: unknown): value is string =>
    typeof value === 'string' && pattern.test(value);
  return same(
    (value, path) => (accepts(value) ? value : path.mismatchedText(expected, value)),
    accepts,
  );
}

/** One of a few strings. */
export function oneOf<const T extends string>(...names: readonly T[]): Format<T> {
  const expected = quoteAll(names);
  const accepts = (value: unknown): value is T => names.some((name) => name === value);
  return same(
    (value, path) => (accepts(value) ? value : path.mismatchedText(expected, value)),
    accepts,
  );
}

/** A fixed string, which may be another one in a document. */
export function constant<const T extends string>(value: T, inDocument: string = value): Format<T> {
  const expected = quote(inDocument);
  return {
    read: (found, path) => (found === inDocument ? value : path.mismatchedText(expected, found)),
    write: (given, path) =>
      given === value ? inDocument : path.mismatchedText(quote(value), given),
    accepts: (found) => found === inDocument && found === value,
  };
}

/** An array of one kind of value. */
export function listOf<T>(item: Format<T>): Format<readonly T[]> {
  return {
    read(value, path) {
      if (!Array.isArray(value)) return path.mismatch('an array', value);
      return readItems(value, path, item);
    },
    write(value, path) {
      if (!Array.isArray(value)) return path.mismatch('an array', value);
      return writeItems(value, path, item);
    },
  };
}

/**
 * Writes the items of an array. Returns a frozen array without a copy if its items are unchanged.
 */
function writeItems<T>(items: readonly T[], path: JsonPath, item: Format<T>): readonly unknown[] {
  let written: unknown[] | undefined = Object.isFrozen(items) ? undefined : [];
  for (let index = 0; index < items.length; index++) {
    // The index is below the length.
    const given = items[index] as T;
    const result = item.write(given, path.at(index));
    if (result !== given) written ??= items.slice(0, index);
    written?.push(result);
  }
  return written === undefined ? items : Object.freeze(written);
}

function readItems<T>(items: readonly unknown[], path: JsonPath, item: Format<T>): readonly T[] {
  const read: T[] = [];
  for (let index = 0; index < items.length; index++) {
    // A hole of a sparse list is `undefined`, which no format accepts.
    read.push(item.read(items[index], path.at(index)));
  }
  return Object.freeze(read);
}

/** A record of one kind of value, by name. Drops members that are `undefined`. */
export function recordOf<T>(entry: Format<T>): Format<Readonly<Record<string, T>>> {
  const convert = <To>(value: unknown, path: JsonPath, convertEntry: Convert<T, To>) =>
    eachEntry({}, definedEntries(value, path), path, convertEntry);
  return {
    read: (value, path) => convert(value, path, entry.read),
    write: (value, path) => convert(value, path, entry.write),
  };
}

/**
 * A record of one kind of value, by tool call id. Passes `undefined` to the format of the entries.
 *
 * The record has no prototype, because an id may be any name.
 */
export function byIdOf<T>(entry: Format<T>): Format<Readonly<Record<string, T>>> {
  const convert = <To>(value: unknown, path: JsonPath, convertEntry: Convert<T, To>) =>
    eachEntry<T, To>(Object.create(null), entriesOf(value, path), path, convertEntry);
  return {
    read: (value, path) => convert(value, path, entry.read),
    write: (value, path) => convert(value, path, entry.write),
  };
}

type Convert<From, To> = (value: From, path: JsonPath) => To;

function entriesOf(value: unknown, path: JsonPath): [name: string, entry: unknown][] {
  return isPlainObject(value) ? Object.entries(value) : path.mismatch('an object', value);
}

function definedEntries(value: unknown, path: JsonPath): [name: string, entry: unknown][] {
  return entriesOf(value, path).filter(([, entry]) => entry !== undefined);
}

function eachEntry<From, To>(
  record: Record<string, To>,
  entries: readonly [name: string, entry: unknown][],
  path: JsonPath,
  convert: Convert<From, To>,
): Readonly<Record<string, To>> {
  // Reading validates each entry. An entry to write has its type, or its format rejects it.
  for (const [name, entry] of entries)
    defineOwn(record, name, convert(entry as From, path.at(name)));
  return Object.freeze(record);
}

/** A string or an object. */
export function stringOr<T extends object>(object: Format<T>): Format<string | T> {
  const convert = <To>(value: unknown, path: JsonPath, other: () => To): string | To => {
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null) return other();
    return path.mismatch('a string or an object', value);
  };
  return {
    read: (value, path) => convert(value, path, () => object.read(value, path)),
    // A value that is not a string is an object.
    write: (value, path) => convert(value, path, () => object.write(value as T, path)),
  };
}

/** A string or an array; `expected` describes both in an error. */
export function stringOrListOf<T>(
  item: Format<T>,
  expected: string,
): Format<string | readonly T[]> {
  const list = listOf(item);
  return {
    read(value, path) {
      if (typeof value === 'string') return value;
      return Array.isArray(value) ? list.read(value, path) : path.mismatch(expected, value);
    },
    write(value, path) {
      if (typeof value === 'string') return value;
      return Array.isArray(value) ? list.write(value, path) : path.mismatch(expected, value);
    },
    accepts: isString,
  };
}

/** The arguments of a tool call: JSON text, an object, or null for none. */
export function argsOf<T extends object>(object: Format<T>): Format<string | T | null> {
  return same((value, path) => {
    if (typeof value === 'string' || value === null) return value;
    return typeof value === 'object' && !Array.isArray(value)
      ? object.read(value, path)
      : path.mismatch('an object, a string or null', value);
  }, isString);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
