/** A requester, approver or operator. */
export interface Person {
  /** The same for the same person, always, as the application knows it. */
  readonly id: string;
  /** For people. */
  readonly name?: string | undefined;
}
