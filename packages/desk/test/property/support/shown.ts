import type { JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';

/** Arguments and preview of a call, as a person was shown them or as the tool received them. */
export interface Shown {
  readonly args: JsonValue;
  readonly preview: JsonValue | undefined;
}

/** The facts that a person was shown before a decision. */
export interface Seen extends Shown {
  /** Set for an edit that no tool described: the call that it replaces. `args` are as typed then. */
  readonly original?: Shown | undefined;
}

/**
 * Returns true if a person was shown exactly the call that executed. For an edit that no tool
 * described, they typed the arguments, and were shown the preview of the original call, which must
 * be unchanged.
 */
export function wasShown(
  { original, ...seen }: Seen,
  executed: Shown,
  originalNow: Shown,
): boolean {
  if (original === undefined || isShown(seen, executed)) return isShown(seen, executed);
  return (
    isShown({ ...seen, preview: original.preview }, executed) &&
    isSame(original.preview, originalNow.preview)
  );
}

/** Returns true if a value is a JSON object. */
export function isObject(
  value: JsonValue | undefined,
): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns true if arguments and preview are the same. */
export function isShown(one: Shown, other: Shown): boolean {
  return isSame(one.args, other.args) && isSame(one.preview, other.preview);
}

/** Returns true if two values are the same JSON. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
