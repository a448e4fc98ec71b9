import type { CallApproval } from '../messages/call-approval.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { JsonObject } from '../messages/json.ts';

/** Somebody's word that a call may run. */
export interface Approval {
  /** Arguments to run with, instead of those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** What came with the approval. */
  readonly metadata?: JsonObject | undefined;
  /** Whose word it is. */
  readonly given?: CallApproval | undefined;
  /** What was known about the call when it was asked about; `undefined` if nobody noted it. */
  readonly asked?: CallDetails | undefined;
}
