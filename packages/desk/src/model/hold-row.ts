import type { JsonObject, JsonValue } from 'holdpoint';
import type { AgentCall, CallInDoubt } from 'holdpoint/deferral';
import type { HoldApprovers, Requirement } from './approver-rule.ts';
import type { Person } from './person.ts';
import type { HoldOutcome, HoldState } from './states.ts';
import type { Proposal, Vote } from './vote.ts';

/** What has decided a hold that nobody was asked about. */
export type HoldDecision =
  /** People had approved such calls in advance. */
  | { readonly kind: 'grant'; readonly grantId: string }
  /** The policy holds nothing yet; it only notes what it would hold. */
  | { readonly kind: 'shadow' };

/** A deferred call of a parked run, and what became of it. */
export interface HoldRow {
  readonly tenant: string;
  readonly id: string;
  readonly runId: string;
  readonly conversationId: string;
  /** The name of the run's agent at the desk. */
  readonly agent: string;
  /** Which parking of its run it belongs to, from 1 on. */
  readonly park: number;
  /** Its place among the calls of that parking. */
  readonly place: number;
  /** Whether the call may run once approved, or its result comes from elsewhere. */
  readonly kind: 'approval' | 'external';
  /** Under what the run takes the answer: the id of the call, with those of the agents above it. */
  readonly key: string;
  /** The calls to agents that led to it, from the outermost down. */
  readonly path: readonly AgentCall[];
  readonly toolName: string;
  /** The arguments as they were sent, parsed: what the digest is about, and what an edit starts from. */
  readonly args: JsonValue;
  /** The arguments as the tool will get them, where that is something else. */
  readonly checkedArgs?: JsonValue | undefined;
  /** What the tool attached for whoever answers. */
  readonly metadata?: JsonObject | undefined;
  /** What will happen, in the words of the tool's code. */
  readonly preview?: JsonValue | undefined;
  /**
   * What an answer must name: it holds for this call as it is here, or for what was proposed in its place,
   * and for nothing else.
   */
  readonly digest: string;
  /** The digest of the call itself, where `digest` is another one by now. */
  readonly callDigest?: string | undefined;
  /** How often the digest was changed. */
  readonly revision?: number | undefined;
  /** What is voted on, where that is not the call as it was shown. */
  readonly proposal?: Proposal | undefined;
  /** Who has agreed to what the digest is about; earlier votes are in the answers. */
  readonly votes?: readonly Vote[] | undefined;
  /** The requirement when the call was deferred. It is a floor: it holds as long as the hold exists. */
  readonly approvers?: HoldApprovers | undefined;
  /** Requirements that later versions of the policy have added. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** Who has asked for the run. */
  readonly requester?: Person | undefined;
  /** The other requesters of the conversation; `null` for an unknown one. */
  readonly alsoAsked?: readonly (Person | null)[] | undefined;
  /** The JSON Schema of the arguments. */
  readonly schema?: JsonObject | undefined;
  /** The hash of the tool: its name, description, schema and version. */
  readonly toolHash?: string | undefined;
  /** Why the hold was decided without anybody being asked. */
  readonly decidedBy?: HoldDecision | undefined;
  /** Nobody knows whether the call has run. */
  readonly inDoubt?: CallInDoubt | undefined;
  /** It was approved before, for a tool that has changed since. */
  readonly drifted?: boolean | undefined;
  /** The same call was denied before in this conversation. */
  readonly deniedBefore?: boolean | undefined;
  readonly state: HoldState;
  /** How it was settled. It stays when the hold is consumed. */
  readonly outcome?: HoldOutcome | undefined;
  /** The text that a search looks at, in lower case. It contains no redacted value. */
  readonly searchText: string;
  /** The fingerprint of the redaction rules that `searchText` was written under; empty without rules. */
  readonly redactionRules?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly settledAt?: number | undefined;
  /** A worker has begun with a decision that is valid for a limited time: its call may have started. */
  readonly isBegun?: boolean | undefined;
  /** The number of audit entries that the run had before the hold was opened. */
  readonly auditFrom?: number | undefined;
}

/** The digest of the call itself, as the run knows it. */
export function callDigestOf({ callDigest, digest }: HoldRow): string {
  return callDigest ?? digest;
}
