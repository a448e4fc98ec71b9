import type { RunContext } from '../context/run-context.ts';
import type { ShownEdit } from '../deferred/decisions.ts';
import type { CallApproval, CallDetails } from '../messages/call-details.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';

/** An approver's decision that a call may execute. */
export interface Approval {
  /** Edited arguments that replace those the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** The validated arguments and the preview that the approver was shown after the edit. */
  readonly shown?: ShownEdit | undefined;
  /** Metadata that came with the decision. */
  readonly metadata?: JsonObject | undefined;
  /** The approver, as the decision names it. */
  readonly given?: CallApproval | undefined;
  /** The approval request as it was recorded; `undefined` for histories without a step record. */
  readonly request?: CallDetails | undefined;
  /**
   * True if the decision is known to be about the recorded request: the ledger or the decision confirms its
   * digest, or the request never left this process.
   */
  readonly isBound?: boolean | undefined;
  /** The inputs for the questions of the call, in order. */
  readonly inputs?: readonly JsonValue[] | undefined;
  /** The data of the tool with its latest question. */
  readonly questionState?: JsonObject | undefined;
  /** False if the call has only inputs, so no approver approved it. */
  readonly isApproved?: boolean | undefined;
}

/** Returns whether an approver approved the call. An input for a question is not an approval. */
export function isApproved(approval: Approval | undefined): approval is Approval {
  return approval !== undefined && approval.isApproved !== false;
}

/** An approved call before its execution. */
export interface CallToVerify {
  /** The id under which the call was decided. It starts with the ids of the calls to sub-agents. */
  readonly key: string;
  readonly toolName: string;
  /** The validated arguments that the tool will receive, or the input if approvers were shown only that. */
  readonly args: JsonValue;
  /** The arguments before validation. */
  readonly sentArgs: JsonObject;
  readonly preview?: JsonValue | undefined;
  /** The approver, as the decision names it. */
  readonly approval?: CallApproval | undefined;
  /** The metadata that came with the decision. */
  readonly metadata?: JsonObject | undefined;
}

/**
 * Verifies an approved call immediately before it executes, in the run and in its sub-agents.
 *
 * The call executes if this returns `true`. If it returns `false`, the call is requested again, with the
 * arguments and the preview that it has now.
 */
export type VerifyApproval = (call: CallToVerify, ctx: RunContext) => boolean | Promise<boolean>;
