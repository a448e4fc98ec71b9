import type { JsonObject } from 'holdpoint';
import type { GrantScope } from './approver-rule.ts';

/** Which later calls an approval is to hold for as well. */
export interface Remember {
  /** All calls of the tool, those with the same arguments, or those that have these members. */
  readonly match: 'tool' | 'same-arguments' | { readonly args: JsonObject };
  /** Where: in the same conversation unless given. */
  readonly scope?: GrantScope | undefined;
  /** For how long, in milliseconds; until somebody revokes it unless given. */
  readonly expiresAfter?: number | undefined;
  /** For how many calls; for any number unless given. */
  readonly uses?: number | undefined;
}
