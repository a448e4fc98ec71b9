import { compose, type HookSet } from '../capabilities/hook-set.ts';
import { invariant } from '../internal/invariant.ts';
import { deepFreeze, frozenCopy } from '../internal/json.ts';
import { Permit } from '../tools/permit.ts';
import type { LedgerClaim } from '../ledger/ledger.ts';
import { CallTimer, timedOut, timeoutText, withTimeout } from './call-timeout.ts';
import type { ClaimPlan } from '../gate/claim-plan.ts';
import { executeClaimed } from './claims/execute-claimed.ts';
import { type Environment, liveEnvironment } from '../context/environment.ts';
import type { PermittedCall } from '../gate/gate.ts';
import {
  type Outcome,
  outcomeOfDoubt,
  outcomeOfThrown,
  outcomeOfValue,
} from '../outcomes/outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** A call whose step has started. */
export interface StartedCall {
  /** Comes straight from the environment, and never rejects. `undefined` if the time limit was over first. */
  readonly end: Promise<Outcome | void>;
  /** Returns the outcome of the call. `end` is the value of the promise. */
  finish(end: Outcome | void): FinishedCall;
}

/** A call whose step has ended. */
export interface FinishedCall {
  readonly outcome: Outcome;
  /** True if an earlier attempt at the run recorded the outcome. */
  readonly isRecorded: boolean;
}

/**
 * Starts a permitted call.
 *
 * Not `async`: the promise in it comes straight from the environment, which can only await its own promises in `all`
 * and `race`.
 */
export function startCall(
  scope: ExecutionScope,
  permitted: PermittedCall,
  environment: Environment = scope.environment,
): StartedCall {
  const { request, tool, plan, callState } = permitted;
  const step = environment.step(`tool:${request.call.toolName}`, () => {
    callState.phase = 'step';
    if (plan !== undefined) return executeWithClaim(scope, permitted, plan);
    return scope.claims?.ledger.requireActive === undefined
      ? execute(scope, permitted)
      : executeIfActive(scope, permitted);
  });
  // The time limit of a claimed call is part of its step.
  const timeout = plan === undefined ? (tool.definition.timeout ?? scope.toolTimeout) : undefined;
  const { cancellation } = callState;
  const timed =
    timeout === undefined ? undefined : withTimeout(environment, step, timeout, cancellation);
  return {
    end: timed?.value ?? step,
    finish: (end) => {
      timed?.stopTimer();
      const isRecorded = callState.phase === 'gate';
      if (!end) {
        const outcome = timedOut(timeout);
        cancellation.cancel(new Error(outcome.content));
        return { outcome, isRecorded };
      }
      return isRecorded ? finishRecorded(scope, end) : { outcome: end, isRecorded };
    },
  };
}

/** Finishes a call whose outcome an earlier attempt recorded: its usage was not counted in this one. */
export function finishRecorded(scope: ExecutionScope, outcome: Outcome): FinishedCall {
  if (outcome.spent !== undefined) scope.usage.add(outcome.spent);
  return { outcome: deepFreeze(outcome), isRecorded: true };
}

/** Executes the step of a call without a claim, if the run is still active. It does not reject: an error is an outcome. */
async function executeIfActive(scope: ExecutionScope, permitted: PermittedCall): Promise<Outcome> {
  try {
    await scope.claims?.ledger.requireActive?.();
    permitted.callState.cancellation.throwIfCancelled();
  } catch (error) {
    return { kind: 'error', error };
  }
  return await execute(scope, permitted);
}

/**
 * Executes the step of a call with a claim: claim, execute, settle, all within the timeout.
 *
 * The timer is part of the step. Only the process that holds the claim can distinguish a call in doubt from
 * one that another process executes, so a replay must find that decision in the recorded outcome.
 */
async function executeWithClaim(
  scope: ExecutionScope,
  permitted: PermittedCall,
  plan: ClaimPlan,
): Promise<Outcome> {
  const { callState, tool } = permitted;
  const claimed: HeldClaim = { claim: undefined };
  const executing = claimAndExecute(scope, permitted, plan, claimed);
  const timeout = tool.definition.timeout ?? scope.toolTimeout;
  const outcome =
    timeout === undefined
      ? await executing
      : await claimedInTime(executing, timeout, permitted, claimed);
  // The usage of this step, and not that of another process whose outcome the ledger returned.
  const { spent } = callState;
  return spent === outcome.spent ? outcome : { ...outcome, spent };
}

/** The claim of a call, once this process holds it. */
interface HeldClaim {
  claim: LedgerClaim | undefined;
}

/** Waits for a claimed call, but no longer than its timeout. Inside a step, time is that of the machine. */
async function claimedInTime(
  executing: Promise<Outcome>,
  timeout: number,
  permitted: PermittedCall,
  held: HeldClaim,
): Promise<Outcome> {
  const { cancellation } = permitted.callState;
  const timer = new CallTimer(cancellation);
  const sleeping = timer.sleep(liveEnvironment, timeout);
  const first = await liveEnvironment.race<Outcome | void>([executing, sleeping]);
  timer.stop();
  // A cancellation ends the timer early. That is not a timeout.
  if (first !== undefined || cancellation.cancelled) return executing;
  return claimedTimedOut(permitted, timeout, held);
}

/** Cancels a claimed call. If this process holds the claim, the call is in doubt. */
function claimedTimedOut(
  { request, tool, callState }: PermittedCall,
  timeout: number,
  { claim }: HeldClaim,
): Outcome {
  const reason = timeoutText(timeout);
  callState.cancellation.cancel(new Error(reason));
  if (claim === undefined) {
    const content = `Another process executes this call. It had no result after ${timeout} ms.`;
    return { kind: 'retry', content };
  }
  const doubt = { claim, reason, since: liveEnvironment.now() };
  return outcomeOfDoubt(request.call, tool.definition.onInDoubt ?? 'ask', doubt);
}

/** Claims and executes a call. Errors are data, like every outcome of a step. */
async function claimAndExecute(
  scope: ExecutionScope,
  permitted: PermittedCall,
  plan: ClaimPlan,
  held: HeldClaim,
): Promise<Outcome> {
  const { request, permit, tool, callState } = permitted;
  try {
    const claims = invariant(
      scope.claims,
      'a call with a claim plan belongs to a run with a ledger',
    );
    return await executeClaimed(claims, {
      call: request.call,
      plan,
      onInDoubt: tool.definition.onInDoubt ?? 'ask',
      cancellation: callState.cancellation,
      onHeld: (claim) => {
        held.claim = claim;
      },
      hasStarted: () => Permit.wasUsed(permit),
      execute: () => execute(scope, permitted),
    });
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** Executes a permitted call. Errors of the tool are outcomes. */
async function execute(scope: ExecutionScope, permitted: PermittedCall): Promise<Outcome> {
  const { request, tool, ctx, permit, changedArgs, callState } = permitted;
  const hooks = scope.hooks.wrapToolExecution;
  callState.beginExecution();
  let outcome: Outcome;
  try {
    const returned = await (hooks === undefined
      ? tool.execute(permit, ctx)
      : executeWithHooks(hooks, permitted));
    outcome = outcomeOfValue(returned, request.call.toolName);
  } catch (thrown) {
    outcome = outcomeOfThrownOrError(thrown);
  }
  callState.cancellation.release();
  const { spent } = callState;
  const executedArgs = request.approval && changedArgs;
  return spent === undefined && executedArgs === undefined
    ? outcome
    : { ...outcome, spent, executedArgs };
}

/** Returns the outcome of a thrown value. A signal may be unusable, such as one whose metadata has no JSON form. */
function outcomeOfThrownOrError(thrown: unknown): Outcome {
  try {
    return outcomeOfThrown(thrown);
  } catch (error) {
    return { kind: 'error', error };
  }
}

/**
 * Executes a call with hooks around it. The permit is valid for one execution, even if a hook
 * repeats the call.
 */
function executeWithHooks(
  hooks: NonNullable<HookSet['wrapToolExecution']>,
  { permit, tool, ctx, callState }: PermittedCall,
): Promise<unknown> {
  const { call } = permit;
  const { definition } = tool;
  // A copy: a date in it can be changed although it is frozen.
  const args = frozenCopy(permit.args);
  return compose<(typeof hooks)[number], undefined, unknown>(
    hooks,
    undefined,
    async (hook, _, next) => hook({ call, args, definition }, () => next(undefined), ctx),
    async () => {
      // A hook may call this after the call was cancelled.
      callState.cancellation.throwIfCancelled();
      return tool.execute(permit, ctx);
    },
  );
}
