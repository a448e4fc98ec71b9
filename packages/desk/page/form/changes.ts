import type { JsonValue } from 'holdpoint';
import { isObject, type JsonPath } from '../values/json-path.ts';

/** A difference between two values at one path. */
export interface Change {
  readonly path: JsonPath;
  /** `undefined` if it was missing. */
  readonly before?: JsonValue | undefined;
  /** `undefined` if it was removed. */
  readonly after?: JsonValue | undefined;
}

/** Returns the differences between two values, each at its innermost path. */
export function changesBetween(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: JsonPath = [],
): readonly Change[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) =>
      changesBetween(before[index], after[index], [...path, index]),
    ).flat();
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changesBetween(own(before, name), own(after, name), [...path, name]),
    );
  }
  return isSame(before, after) ? [] : [{ path, before, after }];
}

/** Two texts: their common start, the difference, and their common end. */
export interface TextChange {
  readonly start: string;
  readonly removed: string;
  readonly added: string;
  readonly end: string;
}

/** Returns the difference between two texts, from the first different character to the last. */
export function textChange(before: string, after: string): TextChange {
  const [old, now] = [[...before], [...after]];
  const max = Math.min(old.length, now.length);
  let start = 0;
  while (start < max && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < max - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return {
    start: old.slice(0, start).join(''),
    removed: old.slice(start, old.length - end).join(''),
    added: now.slice(start, now.length - end).join(''),
    end: old.slice(old.length - end).join(''),
  };
}

function own(value: { readonly [name: string]: JsonValue }, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Compares two values that are not both lists or both objects. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return Object.is(one, other) || (one === 0 && other === 0);
}
