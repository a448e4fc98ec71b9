import type { Cancellation } from '../../context/cancellation.ts';
import { liveEnvironment } from '../../context/environment.ts';
import { LedgerError } from '../../errors/agent-errors.ts';
import { describeThrown } from '../../errors/thrown.ts';
import type { LedgerInDoubt, LedgerClaim, LedgerResolution } from '../../ledger/ledger.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { OnInDoubt } from '../../models/tool-definition.ts';
import type { ClaimPlan, LedgerClient } from '../../gate/claim-plan.ts';
import { type FinalOutcome, type Outcome, outcomeOfDoubt } from '../../outcomes/outcome.ts';
import { fromStored, toStored } from '../../outcomes/stored-outcome.ts';

/** A call that executes only with a claim. */
export interface ClaimedCall {
  readonly call: ToolCallPart;
  readonly plan: ClaimPlan;
  readonly onInDoubt: OnInDoubt;
  /** Cancelled when the call is no longer wanted. */
  readonly cancellation: Cancellation;
  /** Called when this process holds the claim. */
  readonly onHeld: (claim: LedgerClaim) => void;
  /**
   * Returns whether the execution of the tool has started. A cancellation before the start leaves
   * no doubt.
   */
  readonly hasStarted: () => boolean;
  /** Executes the call. */
  readonly execute: () => Promise<Outcome>;
}

/**
 * Claims, executes and settles a call.
 *
 * A call that has an outcome does not execute again. If another process executes the call, this one waits or throws.
 * A call in doubt does not execute before an approver decides.
 */
export async function executeClaimed(claims: LedgerClient, claimed: ClaimedCall): Promise<Outcome> {
  const { call, cancellation, onInDoubt } = claimed;
  const { ledger, lease } = claims;
  const allowDivergence = claimed.plan.isDecided || onInDoubt === 'retry';
  const plan = await planWithEarlierKey(call, claimed.plan, allowDivergence);
  if (plan === undefined) return outcomeOfDoubt(call, onInDoubt, doubtOfDivergence(claimed.plan));
  await resolveKnownDoubt(claims, plan, { kind: 'run-again' });
  for (;;) {
    cancellation.throwIfCancelled();
    const claimedAt = liveEnvironment.now();
    const claiming = await ledger.claim(plan.key, { digest: plan.digest, lease });
    // The call may have been approved with other arguments in another copy: it is the same call.
    const state = claiming.state === 'conflict' ? await ledger.read(plan.key) : claiming;
    switch (state?.state) {
      case 'held':
        if (!(await isStillHeld(claims, claimed, state.claim, claimedAt))) break;
        claimed.onHeld(state.claim);
        return executeHeld(claims, claimed, state.claim);
      case 'settled':
        return fromStored(state.outcome, call);
      case 'busy':
        await waitWhileBusy(claims, claimed);
        break;
      case 'doubt':
        if (onInDoubt !== 'retry') return outcomeOfDoubt(call, onInDoubt, state);
        await ledger.resolve(state.claim, { kind: 'run-again' });
        break;
    }
  }
}

/**
 * Returns the plan with the key under which an earlier attempt of the sub-agent made the same call.
 *
 * Returns `undefined` if the earlier attempt made other calls, and this call must not differ from them.
 */
export async function planWithEarlierKey(
  call: ToolCallPart,
  plan: ClaimPlan,
  allowDivergence: boolean,
): Promise<ClaimPlan | undefined> {
  if (plan.subAgentCalls === undefined) return plan;
  const key = await plan.subAgentCalls.record({ call, own: plan.key, allowDivergence });
  return key && { ...plan, key };
}

/** Returns the doubt about a call that may replace a call of an earlier attempt. */
function doubtOfDivergence({ key }: ClaimPlan): Pick<LedgerInDoubt, 'claim' | 'reason' | 'since'> {
  return {
    // The attempt in doubt may be another call, so the slot names none: its idempotency key is unknown.
    claim: { key: { step: key.step, slot: 'sub-agent' }, attempt: `${key.step}:${key.slot}` },
    reason:
      'The sub-agent was interrupted and restarted. Its earlier attempt made other calls, which may have executed. ' +
      'This call may repeat one of them.',
    since: liveEnvironment.now(),
  };
}

/**
 * Returns whether the call may start: the ledger still has its entries, it is not cancelled, and
 * most of the lease remains. The lease began after `claimedAt`, so it is extended only if the
 * ledger responded late.
 */
async function isStillHeld(
  claims: LedgerClient,
  { cancellation }: ClaimedCall,
  claim: LedgerClaim,
  claimedAt: number,
): Promise<boolean> {
  const { ledger, lease } = claims;
  try {
    await claims.requireRetainedNow();
    let leasedAt = claimedAt;
    for (;;) {
      cancellation.throwIfCancelled();
      if (liveEnvironment.now() - leasedAt < lease / 10) return true;
      leasedAt = liveEnvironment.now();
      if ((await ledger.extend(claim, lease)) === 'lost') return false;
    }
  } catch (error) {
    await ledger.release(claim);
    throw error;
  }
}

/** Resolves the doubt that the approver was shown, if it still exists. Returns whether it is resolved now. */
export async function resolveKnownDoubt(
  { ledger }: LedgerClient,
  { key, knownDoubt }: ClaimPlan,
  resolution: LedgerResolution,
): Promise<boolean> {
  if (knownDoubt === undefined) return false;
  const known = await ledger.read(key);
  if (known?.state !== 'doubt' || known.claim.attempt !== knownDoubt) return false;
  return (await ledger.resolve(known.claim, resolution)) === 'resolved';
}

/** The interval at which the ledger is read while another process executes a call. */
const POLL_MS = 100;

/** Waits while another process executes a call, or throws if the run does not wait. */
export async function waitWhileBusy(
  { onBusy }: LedgerClient,
  { call, cancellation }: Pick<ClaimedCall, 'call' | 'cancellation'>,
): Promise<void> {
  if (onBusy === 'error') throw callBusy(call);
  await liveEnvironment.sleep(POLL_MS, cancellation.signal);
  cancellation.throwIfCancelled();
}

async function executeHeld(
  { ledger, lease }: LedgerClient,
  { call, cancellation, hasStarted, execute }: ClaimedCall,
  claim: LedgerClaim,
): Promise<Outcome> {
  const done = new AbortController();
  const doubt = (reason: unknown) => ledger.doubt(claim, describeThrown(reason));
  // A cancelled call is in doubt until it ends after all.
  const forget = cancellation.onCancel((reason) => {
    if (hasStarted()) doubt(reason).catch(() => {});
    // A call in doubt needs no heartbeat, which would keep the process alive.
    done.abort(null);
  });
  const heartbeat = extendUntilDone();
  try {
    return await finish(await execution());
  } finally {
    forget();
    done.abort(null);
    await heartbeat;
  }

  /** Executes the call. A failure around it is its outcome: the claim never stays open. */
  async function execution(): Promise<Outcome> {
    try {
      return await execute();
    } catch (error) {
      return { kind: 'error', error };
    }
  }

  /** Extends the lease until the call has ended. */
  async function extendUntilDone(): Promise<void> {
    for (;;) {
      await liveEnvironment.sleep(lease / 3, done.signal);
      if (done.signal.aborted) return;
      // A failed heartbeat is repeated with the next one. A lost claim shows when the call settles.
      await ledger.extend(claim, lease).catch(() => {});
    }
  }

  async function finish(outcome: Outcome): Promise<Outcome> {
    switch (outcome.kind) {
      case 'error':
        await (hasStarted() ? doubt(outcome.error) : ledger.release(claim));
        return outcome;
      case 'deferred':
      case 'parked':
        await ledger.release(claim);
        return outcome;
      default:
        return settle(outcome);
    }
  }

  async function settle(outcome: FinalOutcome): Promise<Outcome> {
    let state: 'settled' | 'lost';
    try {
      state = await ledger.settle(claim, toStored(outcome));
    } catch (cause) {
      throw notSettled(call, outcome, cause);
    }
    if (state === 'settled') return outcome;
    // The doubt may have been resolved with an outcome since then.
    const now = await ledger.read(claim.key);
    if (now?.state === 'settled') return fromStored(now.outcome, call);
    throw notSettled(call, outcome, undefined);
  }
}

function callBusy({ toolName, toolCallId }: ToolCallPart): LedgerError {
  return new LedgerError(
    'call-busy',
    `Another resumption of this run executes tool \`${toolName}\` (call '${toolCallId}'), so it was not executed here. ` +
      "Wait for that run and use its history, or set `durability: { onBusy: 'wait' }`.",
    { toolCallId },
  );
}

function notSettled(call: ToolCallPart, outcome: FinalOutcome, cause: unknown): LedgerError {
  return new LedgerError(
    'outcome-not-settled',
    `Tool \`${call.toolName}\` (call '${call.toolCallId}') executed, but its outcome could not be settled in the ledger. ` +
      'The call will be in doubt. Resolve it in the ledger with `outcome` of this error.',
    { toolCallId: call.toolCallId, outcome, cause },
  );
}
