import type { JsonObject } from 'holdpoint';
import type { GrantScope } from './approver-rule.ts';
import type { Person } from './person.ts';
import type { Vote } from './vote.ts';

/** The arguments that a grant applies to. */
export type GrantMatch =
  | { readonly kind: 'any' }
  /** Arguments with this hash. */
  | { readonly kind: 'same'; readonly hash: string }
  /** Arguments that have at least these members. */
  | { readonly kind: 'contains'; readonly args: JsonObject };

/** A grant: approvals in advance for calls that are similar to an approved one. */
export interface GrantRow {
  readonly tenant: string;
  readonly id: string;
  readonly scope: GrantScope;
  readonly toolName: string;
  /** The hash of the tool. The grant does not apply to a tool with another hash. */
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
  /** The approvers, with their roles. */
  readonly by: readonly Vote[];
  /** The hold whose approval created it, and its run. */
  readonly holdId: string;
  readonly runId: string;
  readonly expiresAt?: number | undefined;
  /** The maximum number of calls; `undefined` for no limit. */
  readonly uses?: number | undefined;
  /** The number of calls that it has approved. */
  readonly used: number;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
  readonly revokedBy?: Person | undefined;
  /** The number of the audit entry of its run that covers it. */
  readonly auditEntry?: number | undefined;
}
