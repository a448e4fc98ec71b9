import type { Cancellation } from '../context/cancellation.ts';
import { liveEnvironment } from '../context/environment.ts';
import { LedgerError } from '../errors/ledger-error.ts';
import { describeThrown } from '../errors/thrown.ts';
import type { LedgerInDoubt, LedgerClaim, LedgerResolution } from '../ledger/ledger.ts';
import { idempotencyKeyOf } from '../ledger/ledger-key.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { OnInDoubt } from '../models/tool-definition.ts';
import type { ClaimPlan, ClaimScope } from './claim.ts';
import type { DeferredOutcome, FailedOutcome, FinalOutcome, Outcome } from './outcome.ts';
import { fromStored, toStored } from './stored-outcome.ts';

/** A call that runs only with a claim. */
export interface ClaimedCall {
  readonly call: ToolCallPart;
  readonly plan: ClaimPlan;
  readonly onInDoubt: OnInDoubt;
  /** Cancelled when the call is no longer wanted. */
  readonly cancellation: Cancellation;
  /** Told when the claim is there. */
  readonly onHeld: (claim: LedgerClaim) => void;
  /** Whether the tool was reached: before that, giving up leaves nothing behind. */
  readonly hasStarted: () => boolean;
  /** Executes the call. */
  readonly perform: () => Promise<Outcome>;
}

/**
 * Runs a call that a ledger knows of: claim, execute, settle. What has its outcome is not run again;
 * what somebody else is running is waited for or refused; what nobody knows about is not run before
 * somebody says so.
 */
export async function runClaimed(claims: ClaimScope, toRun: ClaimedCall): Promise<Outcome> {
  const { call, cancellation, onInDoubt } = toRun;
  const { ledger, lease } = claims;
  const mayDiffer = toRun.plan.isAnswered || onInDoubt === 'retry';
  const plan = await placedPlan(call, toRun.plan, mayDiffer);
  if (plan === undefined) return outcomeOfDoubt(call, onInDoubt, otherWay(toRun.plan));
  await resolveKnownDoubt(claims, plan, { kind: 'run-again' });
  for (;;) {
    cancellation.throwIfCancelled();
    const claimed = await ledger.claim(plan.key, { digest: plan.digest, lease });
    // The call may have been approved with other arguments in another copy: it is the same call.
    const state = claimed.state === 'conflict' ? await ledger.read(plan.key) : claimed;
    switch (state?.state) {
      case 'held':
        if (!(await isStillHeld(claims, toRun, state.claim))) break;
        toRun.onHeld(state.claim);
        return executeHeld(claims, toRun, state.claim);
      case 'settled':
        return fromStored(state.outcome, call);
      case 'busy':
        await waitWhileBusy(claims, toRun);
        break;
      case 'doubt':
        if (onInDoubt !== 'retry') return outcomeOfDoubt(call, onInDoubt, state);
        await ledger.resolve(state.claim, { kind: 'run-again' });
        break;
    }
  }
}

/**
 * The plan with the key that the call of an agent has had if an earlier attempt of that agent has made it;
 * `undefined` if that one has gone another way, and this one may not.
 */
export async function placedPlan(
  call: ToolCallPart,
  plan: ClaimPlan,
  mayDiffer: boolean,
): Promise<ClaimPlan | undefined> {
  if (plan.below === undefined) return plan;
  const key = await plan.below.take({ call, own: plan.key, mayDiffer });
  return key && { ...plan, key };
}

/** The doubt about a call that nobody can tell from those that an earlier attempt has made. */
function otherWay({ key }: ClaimPlan): Pick<LedgerInDoubt, 'claim' | 'reason' | 'since'> {
  return {
    // The attempt in doubt may be another call, so the slot names none: its idempotency key is unknown.
    claim: { key: { step: key.step, slot: 'below' }, attempt: `${key.step}:${key.slot}` },
    reason:
      'The agent was stopped in the middle and has begun again. It had made other calls then, which may have run; ' +
      'this one may stand for one of them.',
    since: liveEnvironment.now(),
  };
}

/**
 * Whether a claim may be acted on: the ledger has forgotten nothing about the call, somebody still wants
 * it, and the lease has not run out while the answer was on its way. Otherwise nothing may be started.
 */
async function isStillHeld(
  claims: ClaimScope,
  { cancellation }: ClaimedCall,
  claim: LedgerClaim,
): Promise<boolean> {
  const { ledger, lease } = claims;
  try {
    await claims.requireKnownNow();
    for (;;) {
      const asked = liveEnvironment.now();
      if ((await ledger.extend(claim, lease)) === 'lost') return false;
      cancellation.throwIfCancelled();
      if (liveEnvironment.now() - asked < lease) return true;
    }
  } catch (error) {
    await ledger.release(claim);
    throw error;
  }
}

/**
 * Settles the doubt about a call that whoever answered knew of, if there is one, and it is still there.
 * Says whether it is settled now.
 */
export async function resolveKnownDoubt(
  { ledger }: ClaimScope,
  { key, knownDoubt }: ClaimPlan,
  resolution: LedgerResolution,
): Promise<boolean> {
  if (knownDoubt === undefined) return false;
  const known = await ledger.read(key);
  if (known?.state !== 'doubt' || known.claim.attempt !== knownDoubt) return false;
  return (await ledger.resolve(known.claim, resolution)) === 'resolved';
}

/** How often a call that somebody else is running is looked at again. */
const POLL_MS = 100;

/** Waits a little for whoever is running a call, unless that is an error. */
export async function waitWhileBusy(
  { onBusy }: ClaimScope,
  { call, cancellation }: Pick<ClaimedCall, 'call' | 'cancellation'>,
): Promise<void> {
  if (onBusy === 'error') throw busy(call);
  await liveEnvironment.sleep(POLL_MS, cancellation.signal);
  cancellation.throwIfCancelled();
}

/** Nobody knows whether a call has run: somebody is asked, or the model is told. */
export function outcomeOfDoubt(
  call: ToolCallPart,
  onInDoubt: OnInDoubt,
  { claim, reason, since }: Pick<LedgerInDoubt, 'claim' | 'reason' | 'since'>,
): DeferredOutcome | FailedOutcome {
  if (onInDoubt === 'fail') {
    return {
      kind: 'failed',
      message: `It is not known whether '${call.toolName}' has run: ${reason}`,
    };
  }
  const { attempt, key } = claim;
  const idempotencyKey = idempotencyKeyOf(key);
  const inDoubt = Object.freeze({
    attempt,
    reason,
    since,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return { kind: 'deferred', as: 'approval', inDoubt };
}

async function executeHeld(
  { ledger, lease }: ClaimScope,
  { call, cancellation, hasStarted, perform }: ClaimedCall,
  claim: LedgerClaim,
): Promise<Outcome> {
  const done = new AbortController();
  const doubt = (reason: unknown) => ledger.doubt(claim, describeThrown(reason));
  // Whoever gives up on the call does not know what comes of it, until it is over all the same.
  const forget = cancellation.onCancel((reason) => {
    if (hasStarted()) doubt(reason).catch(() => {});
    // A call in doubt needs no sign of life, which would keep the process alive.
    done.abort(null);
  });
  const beating = keepClaim();
  try {
    return await concluded(await performed());
  } finally {
    forget();
    // With a reason: otherwise an error is made, with its stack, which takes 4 µs.
    done.abort(null);
    await beating;
  }

  /** Executes the call. A failure around it, such as one of the tracer, is its outcome: the claim never stays open. */
  async function performed(): Promise<Outcome> {
    try {
      return await perform();
    } catch (error) {
      return { kind: 'error', error };
    }
  }

  /** Gives a sign of life until the call is over. */
  async function keepClaim(): Promise<void> {
    for (;;) {
      await liveEnvironment.sleep(lease / 3, done.signal);
      if (done.signal.aborted) return;
      // One that fails is tried again at the next beat; a claim that is lost is noticed when it settles.
      await ledger.extend(claim, lease).catch(() => {});
    }
  }

  async function concluded(outcome: Outcome): Promise<Outcome> {
    switch (outcome.kind) {
      case 'error':
        await (hasStarted() ? doubt(outcome.error) : ledger.release(claim));
        return outcome;
      case 'deferred':
      case 'parked':
        await ledger.release(claim);
        return outcome;
      default:
        return settled(outcome);
    }
  }

  async function settled(outcome: FinalOutcome): Promise<Outcome> {
    let answer: 'settled' | 'lost';
    try {
      answer = await ledger.settle(claim, toStored(outcome));
    } catch (cause) {
      throw notSettled(call, outcome, cause);
    }
    if (answer === 'settled') return outcome;
    // Somebody has said meanwhile what came of it.
    const now = await ledger.read(claim.key);
    if (now?.state === 'settled') return fromStored(now.outcome, call);
    throw notSettled(call, outcome, undefined);
  }
}

/** Somebody else is running the call. */
function busy({ toolName, toolCallId }: ToolCallPart): LedgerError {
  return new LedgerError(
    'call-busy',
    `'${toolName}' (call '${toolCallId}') is being run by another resumption of this run. Wait for it and go on ` +
      "with its history, or set `durability: { onBusy: 'wait' }`.",
    { toolCallId },
  );
}

function notSettled(call: ToolCallPart, outcome: FinalOutcome, cause: unknown): LedgerError {
  return new LedgerError(
    'outcome-not-settled',
    `'${call.toolName}' (call '${call.toolCallId}') has run, but the ledger could not be told. Its outcome is in ` +
      'this error. The call will be in doubt: resolve it in the ledger with that outcome.',
    { toolCallId: call.toolCallId, outcome, cause },
  );
}
