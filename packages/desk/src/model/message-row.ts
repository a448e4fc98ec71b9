/** A message of a conversation. */
export interface MessageRow {
  readonly tenant: string;
  readonly conversationId: string;
  /** From 0 on, without gaps. */
  readonly position: number;
  /** The run that has written it. */
  readonly runId: string;
  /** The version of the format of messages. */
  readonly version: number;
  /** The message as JSON text. */
  readonly body: string;
}
