import type { JsonObject } from 'holdpoint';
import type { GrantScope } from './approver-rule.ts';

/** The later calls that an approval also applies to. */
export interface GrantRequest {
  /** All calls of the tool, those with the same arguments, or those that have these members. */
  readonly match: 'tool' | 'same-arguments' | { readonly args: JsonObject };
  /** The scope of the grant; the conversation by default. */
  readonly scope?: GrantScope | undefined;
  /** The time until it expires, in milliseconds; no limit by default. */
  readonly expiresAfter?: number | undefined;
  /** The maximum number of calls; no limit by default. */
  readonly uses?: number | undefined;
}
