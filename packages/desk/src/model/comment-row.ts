import type { Person } from './person.ts';

/** A comment of a person on a hold. It decides nothing, and the model does not see it. */
export interface CommentRow {
  readonly tenant: string;
  readonly holdId: string;
  /** From 1 on, without gaps. */
  readonly number: number;
  readonly by: Person;
  /** Plain text. */
  readonly text: string;
  readonly at: number;
}
