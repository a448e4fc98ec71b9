import type { JsonValue } from 'holdpoint';
import type { Decision } from './decision-row.ts';
import type { Requirement } from './approver-rule.ts';
import type { GrantRequest } from './grant-request.ts';
import type { Delegator } from './delegation-row.ts';
import type { Person } from './person.ts';

/** An approval of the call or proposal that the digest of a hold names. */
export interface Vote extends Person {
  readonly at: number;
  /** The roles that the approver had at the time. */
  readonly roles?: readonly string[] | undefined;
  /** The person whose authority counts, if the approver voted as their delegate. */
  readonly onBehalfOf?: Delegator | undefined;
}

/** The edit, result or grant that an approver proposed. Approvers vote on it in place of the original call. */
export interface Proposal {
  /** Edited arguments, or the result of the call; absent if the original call is proposed. */
  readonly decision?: Decision | undefined;
  /** The author of edited arguments. */
  readonly author?: Person | undefined;
  /** The person on whose behalf the author edited, as their delegate. */
  readonly authoredFor?: Person | undefined;
  /** The edited call as the tool described it; absent if the desk had no tool to describe it. */
  readonly shown?: ShownEdit | undefined;
  /** The requirements of the edited call. They apply in addition to those of the hold. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** The requested grant. */
  readonly grant?: GrantRequest | undefined;
  readonly by: Person;
  readonly at: number;
}

/** The description of an edit by its tool: approvers see it, and the tool receives exactly it. */
export interface ShownEdit {
  /** The validated arguments. */
  readonly args: JsonValue;
  readonly preview?: JsonValue | undefined;
}
