/** The state of an input: accepted, in the history of the conversation, or dropped with its run. */
export type InputState = 'queued' | 'delivered' | 'dropped';

/**
 * A prompt that the desk has accepted for a run: the one that started it, or a later message. The inputs of
 * a run are a queue, which the model receives in the order of their numbers.
 */
export interface InputRow {
  readonly tenant: string;
  readonly runId: string;
  /** From 1 on, without gaps within a run. */
  readonly number: number;
  readonly state: InputState;
  /** The prompt, as a document of messages; `undefined` once it is in the history. */
  readonly body?: string | undefined;
  /** The requester, in the spelling in which ids of people are compared; empty if unknown. */
  readonly requesterKey: string;
  /** Unique among the inputs of a requester, also after the run has ended. */
  readonly idempotencyKey?: string | undefined;
  /** A hash of the request that was accepted, to detect a key that is used for another request. */
  readonly hash: string;
  readonly acceptedAt: number;
}
