import type { JsonObject, JsonValue } from 'holdpoint';
import type { AgentCall, CallInDoubt } from 'holdpoint/deferral';
import type { HoldApprovers, Requirement } from './approver-rule.ts';
import type { Person } from './person.ts';
import type { HoldOutcome, HoldState } from './states.ts';
import type { Proposal, Vote } from './vote.ts';

/** The reason why a hold was decided without an approval request. */
export type AutomaticDecision =
  /** People had approved such calls in advance. */
  | { readonly kind: 'grant'; readonly grantId: string }
  /** The policy holds nothing yet; it only notes what it would hold. */
  | { readonly kind: 'shadow' };

/** A deferred call of a parked run, with its outcome. */
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
  readonly callIndex: number;
  /** `approval` for a call that executes once approved, `external` for one whose result comes from elsewhere. */
  readonly kind: 'approval' | 'external';
  /** The key of the decision in the run: the id of the call, with those of its parent agents. */
  readonly key: string;
  /** The calls to agents that led to it, from the outermost down. */
  readonly path: readonly AgentCall[];
  readonly toolName: string;
  /** The tool's name for people, from the metadata of its definition. */
  readonly title?: string | undefined;
  /** Hints of the tool's author, from the metadata of its definition. */
  readonly annotations?: JsonObject | undefined;
  /** The arguments as they were sent, parsed: what the digest is about, and what an edit starts from. */
  readonly args: JsonValue;
  /** The arguments as the tool will get them, where that is something else. */
  readonly validatedArgs?: JsonValue | undefined;
  /** Metadata of the tool for approvers. */
  readonly metadata?: JsonObject | undefined;
  /** The preview of the tool. */
  readonly preview?: JsonValue | undefined;
  /**
   * The digest that a decision must name: of the call as it is shown here, or of the proposal in its place.
   */
  readonly digest: string;
  /** The digest of the call itself, where `digest` is another one by now. */
  readonly callDigest?: string | undefined;
  /** How often the digest was changed. */
  readonly revision?: number | undefined;
  /** The proposal that approvers vote on, if it is not the original call. */
  readonly proposal?: Proposal | undefined;
  /** The votes for the current digest. Earlier votes are among the decisions. */
  readonly votes?: readonly Vote[] | undefined;
  /** The requirement when the call was deferred. It is a floor: it holds as long as the hold exists. */
  readonly approvers?: HoldApprovers | undefined;
  /** Requirements that later versions of the policy have added. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** The requester of the run. */
  readonly requester?: Person | undefined;
  /** The other requesters of the conversation; `null` for an unknown one. */
  readonly otherRequesters?: readonly (Person | null)[] | undefined;
  /** The JSON Schema of the arguments. */
  readonly schema?: JsonObject | undefined;
  /** The hash of the tool: its name, description, schema and version. */
  readonly toolHash?: string | undefined;
  /** Set if the hold was decided without an approval request. */
  readonly decidedBy?: AutomaticDecision | undefined;
  /** Set if it is unknown whether the call executed. */
  readonly inDoubt?: CallInDoubt | undefined;
  /** It was approved before, for a tool that has changed since. */
  readonly drifted?: boolean | undefined;
  /** The same call was denied before in this conversation. */
  readonly deniedBefore?: boolean | undefined;
  readonly state: HoldState;
  /** How it was settled. It stays when the hold is consumed. */
  readonly outcome?: HoldOutcome | undefined;
  /** The text for searches, in lower case. It contains no redacted value. */
  readonly searchText: string;
  /** The fingerprint of the redaction rules that `searchText` was written under; empty without rules. */
  readonly redactionRules?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly settledAt?: number | undefined;
  /** A worker has begun with a decision that is valid for a limited time: its call may have started. */
  readonly isStarted?: boolean | undefined;
  /** The number of audit entries that the run had before the hold was opened. */
  readonly auditFrom?: number | undefined;
}

/** The digest of the call itself, as the run knows it. */
export function callDigestOf({ callDigest, digest }: HoldRow): string {
  return callDigest ?? digest;
}
