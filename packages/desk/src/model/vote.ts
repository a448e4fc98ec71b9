import type { HoldAnswer } from './answer-row.ts';
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
  /** How the approval is to be remembered. */
  readonly remember?: Remember | undefined;
  readonly by: Person;
  readonly at: number;
}
