import type { JsonObject } from 'holdpoint';
import type { GrantScope } from './approver-rule.ts';
import type { Person } from './person.ts';
import type { Vote } from './vote.ts';

/** Which arguments a grant is for. */
export type GrantMatch =
  | { readonly kind: 'any' }
  /** Those with this hash. */
  | { readonly kind: 'same'; readonly hash: string }
  /** Arguments that have at least these members. */
  | { readonly kind: 'contains'; readonly args: JsonObject };

/** Approvals that were given in advance, for calls like one that was approved. */
export interface GrantRow {
  readonly tenant: string;
  readonly id: string;
  readonly scope: GrantScope;
  readonly toolName: string;
  /** The hash of the tool as it was: for another one the grant is void. */
  readonly toolHash: string;
  readonly match: GrantMatch;
  /** The agent of the approved call. Every scope but `tenant` limits the grant to it. */
  readonly agent: string;
  /** The names of the tools that led to the call. */
  readonly path: readonly string[];
  readonly conversationId: string;
  readonly requester?: Person | undefined;
  /** The id of the requester in the spelling in which ids are compared. */
  readonly requesterKey?: string | undefined;
  /** Who has approved, in which roles. */
  readonly by: readonly Vote[];
  /** The hold that it was given with, and its run. */
  readonly holdId: string;
  readonly runId: string;
  readonly expiresAt?: number | undefined;
  /** How many calls it is for; `undefined` for any number. */
  readonly uses?: number | undefined;
  /** How many calls it has let run. */
  readonly used: number;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
  readonly revokedBy?: Person | undefined;
  /** The number of the audit entry of its run that covers it. */
  readonly auditEntry?: number | undefined;
}
