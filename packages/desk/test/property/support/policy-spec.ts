import type { ApproverRule } from '@holdpoint/desk';
import type { JsonValue } from 'holdpoint';

/** The amount from which a policy demands its second rule, in euros. */
const LIMIT = 1_000;

/** A policy of a story as data: the desk evaluates it as a function, the oracle reads it by itself. */
export interface PolicySpec {
  /** The rule for amounts below the limit. */
  readonly small: ApproverRule;
  /** The rule for other amounts. */
  readonly large: ApproverRule;
  /** The person whom `mayDecide` does not let decide large amounts. */
  readonly barred: number | undefined;
  /** The time until a hold expires, in milliseconds. */
  readonly expiresAfter: number | undefined;
}

/** Returns the rule of a policy for validated arguments. */
export function ruleFor({ small, large }: PolicySpec, args: JsonValue): ApproverRule {
  return isLarge(args) ? large : small;
}

/** Returns whether arguments are about an amount from the limit on. An unknown amount is a large one. */
export function isLarge(args: JsonValue): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return true;
  // An object that is JSON.
  const { euros } = args as { readonly euros?: JsonValue };
  return typeof euros !== 'number' || euros >= LIMIT;
}
