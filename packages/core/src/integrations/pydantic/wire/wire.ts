import type { Read } from '../../../messages/codec/read.ts';
import { quote, type Trail } from '../../../messages/codec/trail.ts';

/** How one kind of value is read from Pydantic AI's format, and written in it. */
export interface Wire<T> {
  /** Checks a value of the format and gives ours, frozen. */
  readonly load: Read<T>;
  /** What the format has for a value of ours. The trail leads to it, in our names. */
  dump(value: T, trail: Trail): unknown;
}

/** What is the same on both sides: only checked. */
export function same<T>(load: Read<T>): Wire<T> {
  return { load, dump: (value) => value };
}

export const text: Wire<string> = same((value, trail) =>
  typeof value === 'string' ? value : trail.mismatch('a string', value),
);

/** A whole number; also as text, as the reference has it. */
export const integer: Wire<number> = same((value, trail) => {
  const number =
    typeof value === 'string' && /^\s*[+-]?\d+(?:\.0+)?\s*$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) ? (number as number) : trail.mismatch('an integer', value);
});

/** One of a few texts. */
export function oneOf<const T extends string>(...names: readonly T[]): Wire<T> {
  const known: ReadonlySet<unknown> = new Set(names);
  const expected = names.map(quote).join(' or ');
  return same((value, trail) =>
    known.has(value) ? (value as T) : trail.mismatchedText(expected, value),
  );
}

/** An array of one kind of value. */
export function listOf<T>(item: Wire<T>): Wire<readonly T[]> {
  return {
    load(value, trail) {
      if (!Array.isArray(value)) return trail.mismatch('an array', value);
      return Object.freeze(eachItem(value, trail, item.load));
    },
    dump: (value, trail) => eachItem(value, trail, item.dump),
  };
}

/** A text, or else another kind of value. */
export function textOr<T>(other: Wire<T>, expected: string): Wire<string | T> {
  return {
    load(value, trail) {
      if (typeof value === 'string') return value;
      return typeof value === 'object' && value !== null
        ? other.load(value, trail)
        : trail.mismatch(expected, value);
    },
    dump: (value, trail) => (typeof value === 'string' ? value : other.dump(value, trail)),
  };
}

function eachItem<From, To>(
  items: readonly From[],
  trail: Trail,
  convert: (item: From, trail: Trail) => To,
): To[] {
  const converted: To[] = [];
  for (let index = 0; index < items.length; index++) {
    trail.enter(index);
    // Within the bounds of the list, whatever is in it.
    converted.push(convert(items[index] as From, trail));
    trail.leave();
  }
  return converted;
}
