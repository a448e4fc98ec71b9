import type { JsonObject, JsonValue } from 'holdpoint';
import type { Remember } from './remember.ts';
import type { Person } from './person.ts';

/** What somebody says to a hold. */
export type HoldAnswer =
  /** The call may run. */
  | { readonly kind: 'approve' }
  /** The call may run, with these arguments. */
  | { readonly kind: 'edit'; readonly args: JsonObject }
  /** The call must not run; the model is told why. */
  | { readonly kind: 'deny'; readonly message?: string | undefined }
  /** The result of a call that somebody else has executed. */
  | { readonly kind: 'result'; readonly value: JsonValue }
  /** The model should try again, and why. */
  | { readonly kind: 'retry'; readonly message: string }
  /** It could not be done, and why. */
  | { readonly kind: 'fail'; readonly message: string };

/** An answer as it was given. If the hold was decided by people, the last one has decided it. */
export interface AnswerRow {
  readonly tenant: string;
  readonly holdId: string;
  readonly number: number;
  readonly by: Person;
  readonly answer: HoldAnswer;
  /** What the person has looked at. */
  readonly digest: string;
  /** The digest that it is a vote for, where that is another one: it has proposed something. */
  readonly countsFor?: string | undefined;
  /** The roles that the person had. */
  readonly roles?: readonly string[] | undefined;
  /** How the approval was to be remembered. */
  readonly remember?: Remember | undefined;
  readonly at: number;
}
