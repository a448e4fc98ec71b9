import type { CallApproval } from './call-approval.ts';
import type { CallDetails } from './call-details.ts';
import type { JsonObject } from './json.ts';
import type { Message, SpentUsage } from './message.ts';

/**
 * What a later process must know about a step that waits for answers.
 *
 * It is kept under `metadata.holdpoint` of the parked response; in a later round of the same step, of
 * the request that this round added. What follows from the message is left out there.
 */
export interface StepRecord {
  /** Names the step; made when it first parks and copied by forks. */
  readonly step: string;
  /** The calls that wait, by tool call id, in the order in which they came to wait. */
  readonly open: ReadonlyMap<string, OpenCall>;
  /** How often the step was parked before; absent for the first time. */
  readonly round?: number | undefined;
  /** Whether a ledger knows of the step: then nobody goes on with it who has none. */
  readonly ledger?: true | undefined;
  /** What the run had used when it parked, where it is to be counted on. */
  readonly usage?: SpentUsage | undefined;
}

/** A call that has no result yet: it waits for an answer, or runs an agent that does. */
export type OpenCall = WaitingCall | ParkedAgent;

/** A call that waits for its answer. */
export interface WaitingCall {
  readonly kind: 'approval' | 'external';
  /** What the tool attached for whoever answers. */
  readonly metadata?: JsonObject | undefined;
  readonly details?: CallDetails | undefined;
}

/** A call to an agent whose own run is parked. */
export interface ParkedAgent {
  readonly kind: 'agent';
  /** How many messages of that run earlier records hold. */
  readonly from: number;
  /** Its messages from there on. */
  readonly messages: readonly Message[];
  /** The call itself had to be approved, and was. */
  readonly approval?: RecordedApproval | undefined;
}

/** An approval that was given before. */
export interface RecordedApproval {
  /** What the call runs with, where that is not what the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Whose word it was. */
  readonly given?: CallApproval | undefined;
}
