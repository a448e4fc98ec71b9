/** Somebody who asks for something or answers. */
export interface Person {
  /** The same for the same person, always, as the application knows it. */
  readonly id: string;
  /** For people. */
  readonly name?: string | undefined;
}
