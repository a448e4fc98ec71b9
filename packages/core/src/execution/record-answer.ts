import { liveEnvironment } from '../context/environment.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ClaimPlan, ClaimScope } from './claim.ts';
import { busy, conflict, outcomeOfDoubt } from './claimed-call.ts';
import { type CallResult, type DeferredOutcome, type FinalOutcome, resultOf } from './outcome.ts';
import { answered, fromStored, toStored } from './stored-outcome.ts';

/** An answer to a call that does not run. */
interface GivenAnswer {
  readonly call: ToolCallPart;
  readonly plan: ClaimPlan;
  readonly result: CallResult;
}

/**
 * Writes an answer down that runs nothing, such as a denial: it is the answer from then on, in every
 * copy of the history. Gives what is the answer now, which may be an earlier one.
 */
export async function recordAnswer(
  claims: ClaimScope,
  { call, plan, result }: GivenAnswer,
): Promise<CallResult | DeferredOutcome> {
  const { ledger } = claims;
  const outcome = toStored(answered(result));
  for (;;) {
    const state = await ledger.record(plan.key, { digest: plan.digest, outcome });
    switch (state.state) {
      case 'recorded':
        return result;
      case 'settled':
        return resultOf(call, fromStored(state.outcome, call) as FinalOutcome);
      case 'conflict':
        throw conflict(call);
      case 'busy':
        if (claims.onBusy === 'error') throw busy(call);
        await liveEnvironment.sleep(100);
        break;
      case 'doubt': {
        // Whoever answered did not know that nobody knows whether the call has run.
        if (plan.knownDoubt !== state.claim.attempt) {
          return outcomeOfDoubt(call, 'ask', state) as DeferredOutcome;
        }
        await ledger.resolve(state.claim, { kind: 'outcome', outcome });
        break;
      }
    }
  }
}
