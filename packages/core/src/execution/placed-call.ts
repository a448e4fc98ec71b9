import type { CheckedArgs } from '../deferred/requests.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { Message } from '../messages/message.ts';
import type { Approval } from './approval.ts';
import type { CallAtGate } from './gate.ts';
import type { CallResult, DeferredOutcome } from './outcome.ts';

/** A call of a response, with the place where its result goes. */
export interface PlacedCall extends CallAtGate {
  /** The position of the call among the calls of its response. */
  readonly place: number;
  /** Somebody has answered the call: it does not run. */
  readonly answered?: CallResult | undefined;
  /** What was known about it when somebody was asked. */
  readonly asked?: CallDetails | undefined;
}

/** Where what comes of calls is put, by their place, as it comes. */
export interface BatchResults {
  readonly results: (CallResult | undefined)[];
  readonly deferrals: (Deferral | undefined)[];
}

/** A call that has no result yet: somebody else has to answer it, or it is to an agent that waits. */
export type Deferral = WaitingDeferral | AgentDeferral;

/** A call that somebody else has to answer. */
export interface WaitingDeferral extends Pick<DeferredOutcome, 'as' | 'metadata'> {
  /** The arguments; absent where nobody has checked them. */
  readonly checked: CheckedArgs | undefined;
  readonly details?: CallDetails | undefined;
  /** Whether the tool was asked what the call will do. */
  readonly isDescribed: boolean;
}

/** A call to an agent whose run is parked. */
export interface AgentDeferral {
  readonly as: 'agent';
  readonly messages: readonly Message[];
  /** The call itself was approved. */
  readonly approval?: Approval | undefined;
}

/** A call that has come to wait; `isDescribed`: whether its tool was asked what it will do. */
export function deferralOf(
  {
    outcome,
    checked,
    details,
  }: Pick<WaitingDeferral, 'checked' | 'details'> & { readonly outcome: DeferredOutcome },
  isDescribed: boolean,
): WaitingDeferral {
  const { as, metadata, inDoubt } = outcome;
  const known = inDoubt === undefined ? details : Object.freeze({ ...details, inDoubt });
  return { as, metadata, checked, details: known, isDescribed };
}
