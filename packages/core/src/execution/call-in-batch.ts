import type { CheckedArgs } from '../deferred/requests.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { Message } from '../messages/message.ts';
import type { Approval } from '../gate/approval.ts';
import type { GateRequest } from '../gate/gate-scope.ts';
import type { CallResult, DeferredOutcome } from '../outcomes/outcome.ts';

/** A call of a response, with the index at which its result is stored. */
export interface CallInBatch extends GateRequest {
  /** The index of the call among the calls of its response. */
  readonly index: number;
  /** Set if a decision or an external result resolves the call. It does not execute then. */
  readonly decided?: CallResult | undefined;
  /** The approval request that was decided, as it was recorded. */
  readonly approvalRequest?: CallDetails | undefined;
}

/** The results and deferrals of calls, by index. */
export interface BatchResults {
  readonly results: (CallResult | undefined)[];
  readonly deferrals: (Deferral | undefined)[];
}

/** The reason why a call is pending: it needs a decision or a result, or its sub-agent is parked. */
export type Deferral = DecisionDeferral | SubAgentDeferral;

/** A call that needs an approval or an external result. */
export interface DecisionDeferral extends Pick<DeferredOutcome, 'metadata'> {
  readonly kind: DeferredOutcome['deferralKind'];
  /** The validated arguments; `undefined` if nothing validated them. */
  readonly checked: CheckedArgs | undefined;
  readonly details?: CallDetails | undefined;
  /** True if the call was described for its approver. */
  readonly isDescribed: boolean;
}

/** A call to a sub-agent whose run is parked. */
export interface SubAgentDeferral {
  readonly kind: 'sub-agent';
  readonly messages: readonly Message[];
  /** Set if an approver approved the call to the sub-agent. */
  readonly approval?: Approval | undefined;
}

/** Returns the deferral of a call. `isDescribed`: the call was described for its approver. */
export function deferralOf(
  {
    outcome,
    checked,
    details,
  }: Pick<DecisionDeferral, 'checked' | 'details'> & { readonly outcome: DeferredOutcome },
  isDescribed: boolean,
): DecisionDeferral {
  const { deferralKind: kind, metadata, inDoubt } = outcome;
  const request = inDoubt === undefined ? details : Object.freeze({ ...details, inDoubt });
  return { kind, metadata, checked, details: request, isDescribed };
}
