import type { JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';

/** Arguments and preview of a call, as a person was shown them or as the tool received them. */
export interface Shown {
  readonly args: JsonValue;
  readonly preview: JsonValue | undefined;
}

/** The facts that a person had before them when they decided. */
export interface Seen extends Shown {
  /** Set for an edit that no tool described: the call that it replaces. `args` are as typed then. */
  readonly original?: Shown | undefined;
}

/** Returns whether a person was shown exactly what executed, or typed each part of it that they were not shown. */
export function wasShown(
  { original, ...seen }: Seen,
  executed: Shown,
  originalNow: Shown,
): boolean {
  if (original === undefined) return isShown(seen, executed);
  return (
    isTyped(executed.args, seen.args, original.args) &&
    isSame(original.preview, originalNow.preview)
  );
}

function isTyped(
  value: JsonValue,
  typed: JsonValue | undefined,
  shown: JsonValue | undefined,
): boolean {
  if (isSame(value, typed) || isSame(value, shown)) return true;
  if (!isObject(value)) return false;
  const member = (one: JsonValue | undefined, key: string) =>
    isObject(one) ? one[key] : undefined;
  return Object.entries(value).every(([key, one]) =>
    isTyped(one, member(typed, key), member(shown, key)),
  );
}

/** Returns whether a value is a JSON object. */
export function isObject(
  value: JsonValue | undefined,
): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether arguments and preview are the same. */
export function isShown(one: Shown, other: Shown): boolean {
  return isSame(one.args, other.args) && isSame(one.preview, other.preview);
}

/** Returns whether two values are the same JSON. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
