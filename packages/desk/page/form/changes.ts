import type { JsonValue } from 'holdpoint';
import { isObject, type JsonPath } from '../values/json-path.ts';

/** A difference between two values at one place. */
export interface Change {
  readonly path: JsonPath;
  /** `undefined` if it was not there. */
  readonly before?: JsonValue | undefined;
  /** `undefined` if it is not there any more. */
  readonly after?: JsonValue | undefined;
}

/** What is different between two values, as far inside as it can be told. */
export function changesBetween(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: JsonPath = [],
): readonly Change[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) =>
      changesBetween(before[at], after[at], [...path, at]),
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

/** Two texts, split where they begin and stop to be different. */
export interface TextChange {
  readonly start: string;
  readonly removed: string;
  readonly added: string;
  readonly end: string;
}

/** Where two texts are different: from the first difference to the last. */
export function textChange(before: string, after: string): TextChange {
  const [old, now] = [[...before], [...after]];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
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

/** Whether two values that are not both lists or both objects are the same; lists and objects inside are JSON. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return Object.is(one, other) || (one === 0 && other === 0);
}
