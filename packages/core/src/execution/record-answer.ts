import type { Cancellation } from '../context/cancellation.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { type ClaimPlan, type ClaimScope, claimPlan, runsOnce } from './claim.ts';
import { outcomeOfDoubt, placedPlan, resolveKnownDoubt, waitWhileBusy } from './claimed-call.ts';
import type { AnsweredOutcome, DeferredOutcome, ErrorOutcome, FinalOutcome } from './outcome.ts';
import type { PlacedCall } from './placed-call.ts';
import type { ExecutionScope } from './scope.ts';
import { fromStored, toStored } from './stored-outcome.ts';

/**
 * Records a decision that executes nothing, if there is a ledger. Returns the decision that holds.
 *
 * This is the body of a step, so it does not reject: an error is an outcome.
 */
export async function keepAnswer(
  { claims, tools }: ExecutionScope,
  { call, asked, approval }: PlacedCall,
  answer: AnsweredOutcome,
  cancellation: Cancellation,
): Promise<FinalOutcome | DeferredOutcome | ErrorOutcome> {
  if (claims === undefined) return answer;
  try {
    const definition = tools.get(call.toolName)?.definition;
    const plan = claimPlan(claims, call, {
      asked: asked ?? approval?.asked,
      isAnswered: true,
      once: definition !== undefined && runsOnce(claims, definition),
    });
    return await recordAnswer(claims, { call, plan, answer, cancellation });
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** An answer to a call that does not run. */
interface GivenAnswer {
  readonly call: ToolCallPart;
  readonly plan: ClaimPlan;
  readonly answer: AnsweredOutcome;
  /** Cancelled when nobody waits for it any more. */
  readonly cancellation: Cancellation;
}

/**
 * Writes an answer down that runs nothing, such as a denial: it is the answer from then on, in every
 * copy of the history. Gives what is the answer now, which may be an earlier one.
 */
async function recordAnswer(
  claims: ClaimScope,
  given: GivenAnswer,
): Promise<FinalOutcome | DeferredOutcome> {
  const { ledger } = claims;
  const { call, plan: planned, answer } = given;
  // What is in doubt may be a call of an agent that has begun again since: then its key is the one that it had.
  const placed =
    planned.knownDoubt === undefined ? undefined : await placedPlan(call, planned, true);
  const plan = placed ?? planned;
  const outcome = toStored(answer);
  if (await resolveKnownDoubt(claims, plan, { kind: 'outcome', outcome })) return answer;
  for (;;) {
    const recorded = await ledger.record(plan.key, { digest: plan.digest, outcome });
    const state = recorded.state === 'conflict' ? await ledger.read(plan.key) : recorded;
    switch (state?.state) {
      case 'recorded':
        return answer;
      case 'settled':
        return fromStored(state.outcome, call);
      case 'busy':
        await waitWhileBusy(claims, given);
        break;
      case 'doubt':
        // Whoever answered did not know that nobody knows whether the call has run.
        return outcomeOfDoubt(call, 'ask', state) as DeferredOutcome;
    }
  }
}
