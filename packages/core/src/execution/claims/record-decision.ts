import type { Cancellation } from '../../context/cancellation.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { type ClaimPlan, type LedgerClient, planDecision } from '../../gate/claim-plan.ts';
import { planWithEarlierKey, resolveKnownDoubt, waitWhileBusy } from './execute-claimed.ts';
import {
  type DecidedOutcome,
  type DeferredOutcome,
  type ErrorOutcome,
  deferralOfDoubt,
  type FinalOutcome,
} from '../../outcomes/outcome.ts';
import type { CallInBatch } from '../call-in-batch.ts';
import type { ExecutionScope } from '../scope.ts';
import { fromStored, toStored } from '../../outcomes/stored-outcome.ts';

/**
 * Records a decision that executes nothing, if there is a ledger. Returns the decision that holds.
 *
 * This is the body of a step, so it does not reject: an error is an outcome.
 */
export async function recordDecision(
  { claims, tools }: ExecutionScope,
  { call, approvalRequest, approval }: CallInBatch,
  decision: DecidedOutcome,
  cancellation: Cancellation,
): Promise<FinalOutcome | DeferredOutcome | ErrorOutcome> {
  if (claims === undefined) return decision;
  try {
    const tool = tools.get(call.toolName);
    const plan = planDecision(claims, tool, call, approvalRequest ?? approval?.request);
    return await recordInLedger(claims, { call, plan, decision, cancellation });
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** A decision about a call that does not execute. */
interface DecisionToRecord {
  readonly call: ToolCallPart;
  readonly plan: ClaimPlan;
  readonly decision: DecidedOutcome;
  /** Cancelled when the outcome is no longer wanted. */
  readonly cancellation: Cancellation;
}

/**
 * Records a decision that executes nothing, such as a denial. It holds in every copy of the history.
 *
 * Returns the decision that holds, which may be an earlier one.
 */
async function recordInLedger(
  claims: LedgerClient,
  given: DecisionToRecord,
): Promise<FinalOutcome | DeferredOutcome> {
  const { ledger } = claims;
  const { call, plan: planned, decision } = given;
  // The call in doubt may be one of a sub-agent that restarted. It keeps the key of the earlier attempt then.
  const earlier =
    planned.knownDoubt === undefined ? undefined : await planWithEarlierKey(call, planned, true);
  const plan = earlier ?? planned;
  const outcome = toStored(decision);
  if (await resolveKnownDoubt(claims, plan, { kind: 'outcome', outcome })) return decision;
  for (;;) {
    const recorded = await ledger.record(plan.key, { digest: plan.digest, outcome });
    const state = recorded.state === 'conflict' ? await ledger.read(plan.key) : recorded;
    switch (state?.state) {
      case 'recorded':
        return decision;
      case 'settled':
        return fromStored(state.outcome, call);
      case 'busy':
        await waitWhileBusy(claims, given);
        break;
      case 'doubt':
        // The approver was not shown that the call is in doubt.
        return deferralOfDoubt(state);
    }
  }
}
