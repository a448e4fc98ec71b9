import type { JsonObject, JsonValue } from 'holdpoint';
import type { GrantRequest } from './grant-request.ts';
import type { Delegator } from './delegation-row.ts';
import type { Person } from './person.ts';

/** A decision about a hold, the input for its question, or the result of its call. */
export type Decision =
  /**
   * Approves the call, with edited arguments if `args` is given. The reason is for the tool, in
   * `ctx.approval.reason`, and for people; the model does not see it.
   */
  | {
      readonly kind: 'approve';
      readonly args?: JsonObject | undefined;
      readonly reason?: string | undefined;
    }
  /** Denies the call, or declines its question. The model receives the reason. */
  | { readonly kind: 'deny'; readonly reason?: string | undefined }
  /** Responds to the question of a call. The tool is called again with the value. */
  | { readonly kind: 'input'; readonly value: JsonValue }
  /** Supplies the result of a call that was executed outside of the desk. */
  | { readonly kind: 'result'; readonly value: JsonValue }
  /**
   * Requests changes: the call does not execute. The model receives the message, and may respond with a text or call again. About
   * a hold of the kind `approval` it closes the hold like a denial.
   */
  | { readonly kind: 'retry'; readonly message: string }
  /** Records that the call failed. The model receives the message. */
  | { readonly kind: 'fail'; readonly message: string };

/** Returns the arguments that an approval edits; `undefined` for every other decision. */
export function editedArgs(decision: Decision | undefined): JsonObject | undefined {
  return decision?.kind === 'approve' ? decision.args : undefined;
}

/**
 * Returns whether a decision closes a hold without further votes: a denial, or a request for
 * changes in place of an approval. The call does not execute then, and an earlier proposal has no
 * effect.
 */
export function closesHold(
  { kind: holdKind }: { readonly kind: 'approval' | 'question' | 'external' },
  { kind }: Decision,
): boolean {
  return kind === 'deny' || (kind === 'retry' && holdKind === 'approval');
}

/** A recorded decision. If a hold needed several approvals, the last one decided it. */
export interface DecisionRow {
  readonly tenant: string;
  readonly holdId: string;
  readonly number: number;
  readonly by: Person;
  readonly decision: Decision;
  /** The digest that the approver was shown. */
  readonly digest: string;
  /** The digest that the vote counts for, if the decision proposed another call or result. */
  readonly countsFor?: string | undefined;
  /** The roles that the approver had. */
  readonly roles?: readonly string[] | undefined;
  /** The person on whose behalf the approver decided, as their delegate. */
  readonly onBehalfOf?: Delegator | undefined;
  /** The grant that the approver requested with the approval. */
  readonly grant?: GrantRequest | undefined;
  readonly at: number;
}
