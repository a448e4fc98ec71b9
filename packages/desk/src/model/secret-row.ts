/** A value that people must not see in a conversation. */
export interface SecretRow {
  readonly tenant: string;
  readonly conversationId: string;
  /** A hash of the value, so that each is stored once. */
  readonly id: string;
  readonly value: string;
}
