import type { Cancellation } from '../context/cancellation.ts';
import { liveEnvironment } from '../context/environment.ts';
import type { JsonValue } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { CallsBelow } from './calls-below.ts';
import type { ClaimPlan, ClaimScope } from './claim.ts';
import { busy, outcomeOfDoubt, POLL_MS } from './claimed-call.ts';
import type { AnsweredOutcome, DeferredOutcome, FinalOutcome } from './outcome.ts';
import { fromStored, toStored } from './stored-outcome.ts';

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
export async function recordAnswer(
  claims: ClaimScope,
  { call, plan: planned, answer, cancellation }: GivenAnswer,
): Promise<FinalOutcome | DeferredOutcome> {
  const { ledger } = claims;
  const plan = planned.below ? await placedPlan(planned, planned.below, call) : planned;
  const outcome = toStored(answer);
  if (plan.knownDoubt !== undefined && (await resolveDoubt(claims, plan, outcome))) return answer;
  for (;;) {
    const recorded = await ledger.record(plan.key, { digest: plan.digest, outcome });
    const state = recorded.state === 'conflict' ? await ledger.read(plan.key) : recorded;
    switch (state?.state) {
      case 'recorded':
        return answer;
      case 'settled':
        return fromStored(state.outcome, call);
      case 'busy':
        if (claims.onBusy === 'error') throw busy(call);
        await liveEnvironment.sleep(POLL_MS, cancellation.signal);
        cancellation.throwIfCancelled();
        break;
      case 'doubt':
        // Whoever answered did not know that nobody knows whether the call has run.
        return outcomeOfDoubt(call, 'ask', state) as DeferredOutcome;
    }
  }
}

/** What is in doubt may be a call of an agent that has begun again since: then its key is the one that it had. */
async function placedPlan(
  plan: ClaimPlan,
  below: CallsBelow,
  call: ToolCallPart,
): Promise<ClaimPlan> {
  const { knownDoubt, key: own } = plan;
  if (knownDoubt === undefined) return plan;
  const key = await below.take({ call, own, mayDiffer: true });
  return { ...plan, key: key ?? own };
}

/** Whoever answered knew of an attempt in doubt: the answer says what came of it. */
async function resolveDoubt(
  { ledger }: ClaimScope,
  { key, knownDoubt }: ClaimPlan,
  outcome: JsonValue,
): Promise<boolean> {
  const known = await ledger.read(key);
  if (known?.state !== 'doubt' || known.claim.attempt !== knownDoubt) return false;
  return (await ledger.resolve(known.claim, { kind: 'outcome', outcome })) === 'resolved';
}
