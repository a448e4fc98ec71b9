import type { JsonObject } from 'holdpoint';
import type { GrantScope } from './approver-rule.ts';

/** Which later calls an approval is to hold for as well. */
export interface GrantRequest {
  /** All calls of the tool, those with the same arguments, or those that have these members. */
  readonly match: 'tool' | 'same-arguments' | { readonly args: JsonObject };
  /** The scope of the grant; the conversation unless given. */
  readonly scope?: GrantScope | undefined;
  /** The time until it expires, in milliseconds; no limit unless given. */
  readonly expiresAfter?: number | undefined;
  /** For how many calls; for any number unless given. */
  readonly uses?: number | undefined;
}
