import type { JsonValue } from 'holdpoint';
import type { HoldAnswer } from './answer-row.ts';
import type { Requirement } from './approver-rule.ts';
import type { Remember } from './remember.ts';
import type { Person } from './person.ts';

/** Somebody has agreed to what the digest of a hold is about. */
export interface Vote extends Person {
  readonly at: number;
  /** The roles that they had then. */
  readonly roles?: readonly string[] | undefined;
}

/** What somebody has put in the place of the call as it was shown: that is what is voted on. */
export interface Proposal {
  /** Other arguments, or what came of the call; absent if the call is to run as it was shown. */
  readonly answer?: HoldAnswer | undefined;
  /** The author of edited arguments. */
  readonly author?: Person | undefined;
  /** The edited call as the tool described it; absent if the desk had no tool to describe it. */
  readonly shown?: ShownEdit | undefined;
  /** The requirements of the edited call. They hold beside those of the hold. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** How the approval is to be remembered. */
  readonly remember?: Remember | undefined;
  readonly by: Person;
  readonly at: number;
}

/** The description of an edit by its tool: approvers see it, and the tool receives exactly it. */
export interface ShownEdit {
  /** The validated arguments. */
  readonly args: JsonValue;
  readonly preview?: JsonValue | undefined;
}
