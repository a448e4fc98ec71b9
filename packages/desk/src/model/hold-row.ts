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
  /** The policy is in shadow mode: it only records the calls that it would hold. */
  | { readonly kind: 'shadow' };

/** The question of a tool, as people are shown it. */
export interface HoldQuestion {
  readonly message: string;
  /** The JSON Schema of the input. */
  readonly schema: JsonObject;
  /** True if approvers approved the call before the question. The input then changes a call that they approved. */
  readonly isAfterApproval?: boolean | undefined;
}

/** A deferred call of a parked run, with its outcome. */
export interface HoldRow {
  readonly tenant: string;
  readonly id: string;
  readonly runId: string;
  readonly conversationId: string;
  /** The name of the run's agent at the desk. */
  readonly agent: string;
  /** The number of the time that its run parked, from 1. */
  readonly park: number;
  /** Its index among the calls of that time. */
  readonly callIndex: number;
  /**
   * `approval`: the call executes after an approval. `question`: it executes after a person has
   * responded to its question. `external`: a person or another system supplies its result.
   */
  readonly kind: 'approval' | 'question' | 'external';
  /** The question of a hold of the kind `question`. */
  readonly question?: HoldQuestion | undefined;
  /** The key of the decision in the run: the id of the call, with those of its parent agents. */
  readonly key: string;
  /** The calls of sub-agents that led to it, the outermost first. */
  readonly path: readonly AgentCall[];
  readonly toolName: string;
  /** The tool's name for people, from the metadata of its definition. */
  readonly title?: string | undefined;
  /** Hints of the tool's author, from the metadata of its definition. */
  readonly annotations?: JsonObject | undefined;
  /** The parsed arguments as the model sent them. The digest covers them, and an edit starts from them. */
  readonly args: JsonValue;
  /** The validated arguments that the tool receives, if they differ. */
  readonly validatedArgs?: JsonValue | undefined;
  /** Metadata of the tool for approvers. */
  readonly metadata?: JsonObject | undefined;
  /** The preview of the tool. */
  readonly preview?: JsonValue | undefined;
  /**
   * The digest that a decision must name: of the call, or of the proposal that replaces it.
   */
  readonly digest: string;
  /** The digest of the call itself, if `digest` has changed since. */
  readonly callDigest?: string | undefined;
  /** The number of changes of the digest. */
  readonly revision?: number | undefined;
  /** The proposal that approvers vote on, if it is not the original call. */
  readonly proposal?: Proposal | undefined;
  /** The votes for the current digest. Earlier votes are among the decisions. */
  readonly votes?: readonly Vote[] | undefined;
  /** The requirement when the call was deferred. It is a minimum that applies as long as the hold exists. */
  readonly approvers?: HoldApprovers | undefined;
  /** Requirements that later versions of the policy have added. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** The age, in milliseconds, up to which steps of escalation apply. It only grows. */
  readonly escalatedAfter?: number | undefined;
  /** The age, in milliseconds, up to which reminders were sent. */
  readonly remindedAfter?: number | undefined;
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
  /** True if an earlier approval does not permit the call as it is now. */
  readonly drifted?: boolean | undefined;
  /** True if the same call was denied before in this conversation. */
  readonly deniedBefore?: boolean | undefined;
  readonly state: HoldState;
  /** The way in which it was settled. A consumed hold still has it. */
  readonly outcome?: HoldOutcome | undefined;
  /** The text for searches, in lower case. It contains no redacted value. */
  readonly searchText: string;
  /** The fingerprint of the redaction rules that `searchText` was written under; empty without rules. */
  readonly redactionRules?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly settledAt?: number | undefined;
  /** True if a worker has begun to apply a decision that is valid for a limited time. The call may have started. */
  readonly isStarted?: boolean | undefined;
  /** The number of audit entries that the run had before the hold was opened. */
  readonly auditFrom?: number | undefined;
}

/** The digest of the call itself, as the run knows it. */
export function callDigestOf({ callDigest, digest }: HoldRow): string {
  return callDigest ?? digest;
}
