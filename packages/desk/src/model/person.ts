/** A requester, approver or operator. */
export interface Person {
  /** The id of the person in the application. It never changes. */
  readonly id: string;
  /** For people. */
  readonly name?: string | undefined;
}
