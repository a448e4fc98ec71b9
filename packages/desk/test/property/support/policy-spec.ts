import type { ApproverRule } from '@holdpoint/desk';
import type { JsonValue } from 'holdpoint';

/** The amount from which a policy demands its second rule, in euros. */
const LIMIT = 1_000;

/**
 * A policy of a story as data. The desk evaluates it as a function; the oracle interprets it
 * independently.
 */
export interface PolicySpec {
  /** The rule for amounts below the limit. */
  readonly small: ApproverRule;
  /** The rule for other amounts. */
  readonly large: ApproverRule;
  /** The person for whom `mayDecide` rejects large amounts. */
  readonly barred: number | undefined;
  /** The time until a hold expires, in milliseconds. */
  readonly expiresAfter: number | undefined;
}

/** Returns the rule of a policy for validated arguments. */
export function ruleFor({ small, large }: PolicySpec, args: JsonValue): ApproverRule {
  return isLarge(args) ? large : small;
}

/**
 * Returns true if the amount in the arguments reaches the limit. An unknown amount counts as large.
 */
export function isLarge(args: JsonValue): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return true;
  // An object that is JSON.
  const { euros } = args as { readonly euros?: JsonValue };
  return typeof euros !== 'number' || euros >= LIMIT;
}
