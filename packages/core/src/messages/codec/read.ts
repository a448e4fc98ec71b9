import { isPlainObject } from '../../internal/json.ts';
import { quote, type Trail } from './trail.ts';

/**
 * Checks a value from outside and gives a frozen copy of it, or the value itself where the trail says so.
 *
 * The trail leads to the value; a mistake is thrown as an {@link InvalidJsonError} with that place.
 */
export type Read<T> = (value: unknown, trail: Trail) => T;

export function readString(value: unknown, trail: Trail): string {
  return typeof value === 'string' ? value : trail.mismatch('a string', value);
}

/** The readers that take any string: of a member that is one, there is nothing to ask them. */
const readersOfStrings = new Set<Read<unknown>>([readString]);

export function takesAnyString(read: Read<unknown>): boolean {
  return readersOfStrings.has(read);
}

/** Reads any string; `read` reads what is none. */
export function stringOr<T>(read: Read<T>): Read<string | T> {
  const either: Read<string | T> = (value, trail) =>
    typeof value === 'string' ? value : read(value, trail);
  readersOfStrings.add(either);
  return either;
}

export function readBoolean(value: unknown, trail: Trail): boolean {
  return typeof value === 'boolean' ? value : trail.mismatch('true or false', value);
}

export function readNumber(value: unknown, trail: Trail): number {
  return Number.isFinite(value) ? (value as number) : trail.mismatch('a finite number', value);
}

/** Reads an ISO 8601 date and time. */
export const readTimestamp: Read<string> = matching(
  /^\d{4}-(?:0\d|1[0-2])-[0-3]\dT[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/,
  'an ISO 8601 date and time such as "2026-01-31T12:00:00Z"',
);

/** Reads a string that fits the pattern; `expected` says in words what that is. */
export function matching(pattern: RegExp, expected: string): Read<string> {
  return (value, trail) =>
    typeof value === 'string' && pattern.test(value)
      ? value
      : trail.mismatchedText(expected, value);
}

/** Reads one of the strings of the union `T`; all of them are keys of `names`. */
export function oneOf<T extends string>(names: Readonly<Record<T, true>>): Read<T> {
  return (value, trail) =>
    typeof value === 'string' && Object.hasOwn(names, value)
      ? // It is one of the names.
        (value as T)
      : trail.mismatchedText(alternatives(Object.keys(names)), value);
}

/** Reads an array in which `read` reads each item. */
export function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value, trail) => {
    if (!Array.isArray(value)) return trail.mismatch('an array', value);
    const items: T[] = trail.copies ? [] : value;
    const given: unknown[] = trail.leaves ? [...value] : value;
    for (let index = 0; index < given.length; index++) {
      trail.enter(index);
      const item = read(given[index], trail);
      if (trail.copies) items.push(item);
      trail.leave();
    }
    return trail.take(items);
  };
}

/** Reads a value of a union by its `kind`. */
export function byKind<T extends { readonly kind: string }>(
  readers: {
    readonly [K in T['kind']]: Read<Extract<T, { readonly kind: K }>>;
  },
): Read<T> {
  const known = new Map<unknown, Read<T>>(Object.entries<Read<T>>(readers));
  /** The kind of the last one, which is most often that of the next. */
  let usual: unknown;
  let readUsual: Read<T> | undefined;
  return (value, trail) => {
    // Whether it is an object at all is checked by whoever reads it.
    const kind = (value as { readonly kind?: unknown } | null | undefined)?.kind;
    if (kind === usual && readUsual !== undefined) return readUsual(value, trail);
    const read = known.get(kind);
    if (read) {
      usual = kind;
      readUsual = read;
      return read(value, trail);
    }
    if (!isPlainObject(value)) return trail.mismatch('an object', value);
    trail.enter('kind');
    return trail.mismatchedText(alternatives(Object.keys(readers)), kind);
  };
}

function alternatives(names: readonly string[]): string {
  const last = quote(names.at(-1) ?? '');
  const others = names.slice(0, -1).map(quote);
  return others.length > 0 ? `${others.join(', ')} or ${last}` : last;
}
