import { compose } from '../capabilities/compose.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import type { CallScope } from '../context/call-scope.ts';
import { deepFreeze, frozenCopy } from '../messages/json.ts';
import { Permit } from '../tools/permit.ts';
import type { Ledger, LedgerClaim } from '../ledger/ledger.ts';
import { timeoutOf, timeoutText } from './call-timeout.ts';
import type { ClaimPlan } from './claim.ts';
import { outcomeOfDoubt, runClaimed } from './claimed-call.ts';
import { type Environment, liveEnvironment } from '../context/environment.ts';
import { noopTracer, toError, toText, traced } from '../context/tracer.ts';
import type { Permitted } from './gate.ts';
import { type Outcome, outcomeOfThrown, outcomeOfValue, type RetryOutcome } from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/**
 * Starts a permitted call.
 *
 * Not `async`: the promise comes straight from the environment, which can only await its own promises in `all` and
 * `race`. It never rejects, and its value goes to {@link concludeCall}.
 */
export function startCall(
  scope: ExecutionScope,
  permitted: Permitted,
  environment: Environment = scope.environment,
): Promise<Outcome | void> {
  const { plan } = permitted;
  const name = `tool:${permitted.at.call.toolName}`;
  if (plan !== undefined) {
    return environment.step(name, () => performClaimed(scope, permitted, plan));
  }
  const step = environment.step(name, () => performUnclaimed(scope, permitted));
  const timeout = timeoutOf(scope, permitted.tool);
  return timeout === undefined ? step : inTime(step, timeout, permitted, environment);
}

/** Returns the outcome of a started call. An unclaimed call without one has timed out. */
export function concludeCall(
  scope: ExecutionScope,
  permitted: Permitted,
  outcome: Outcome | void,
): Outcome {
  const timeout = timeoutOf(scope, permitted.tool);
  if (timeout !== undefined) timers.get(permitted.scope)?.();
  // Without a timeout there is always an outcome.
  if (!outcome) return timedOut(permitted, timeout!);
  if (permitted.scope.hasBegun) return outcome;
  // The environment recorded the outcome in an earlier attempt: its usage was not counted in this one.
  if (outcome.spent !== undefined) scope.usage.add(outcome.spent);
  return deepFreeze(outcome);
}

/** How to stop the timers of unclaimed calls. */
const timers = new WeakMap<CallScope, () => void>();

/** Waits for an unclaimed call, but no longer than its timeout. */
function inTime(
  step: Promise<Outcome>,
  timeout: number,
  { scope }: Permitted,
  environment: Environment,
): Promise<Outcome | void> {
  const controller = new AbortController();
  // With a reason: otherwise an error is made, with its stack, which takes 4 µs.
  const abort = () => controller.abort(null);
  // A call that nobody wants any more must not keep a timer, and so the process, alive.
  const forget = scope.cancellation.onCancel(abort);
  timers.set(scope, () => {
    forget();
    abort();
  });
  return environment.race<Outcome | void>([step, environment.sleep(timeout, controller.signal)]);
}

/** Cancels an unclaimed call. The model may call the tool again. */
function timedOut({ scope }: Permitted, timeout: number): RetryOutcome {
  const content = timeoutText(timeout);
  scope.cancellation.cancel(new Error(content));
  return { kind: 'retry', content };
}

/** The recorded step of a call without a claim. */
function performUnclaimed(scope: ExecutionScope, permitted: Permitted): Promise<Outcome> {
  permitted.scope.beginStep();
  const { ledger } = scope.claims ?? {};
  return ledger?.requireActive === undefined
    ? execute(scope, permitted)
    : executeIfActive(scope, permitted, ledger);
}

/** Executes a call that is not claimed, unless nothing of the run may start any more. */
async function executeIfActive(
  scope: ExecutionScope,
  permitted: Permitted,
  ledger: Ledger,
): Promise<Outcome> {
  try {
    await ledger.requireActive?.();
    permitted.scope.cancellation.throwIfCancelled();
  } catch (error) {
    return { kind: 'error', error };
  }
  return execute(scope, permitted);
}

/**
 * The recorded step of a call with a claim: claim, execute, settle, all within the timeout.
 *
 * The timer is part of the step. Only the process that holds the claim can tell a call in doubt from one that
 * another process executes, so a replay must find that decision in the recorded outcome.
 */
async function performClaimed(
  scope: ExecutionScope,
  permitted: Permitted,
  plan: ClaimPlan,
): Promise<Outcome> {
  const { scope: callScope } = permitted;
  callScope.beginStep();
  const claimed: HeldClaim = { claim: undefined };
  const executing = executeClaimed(scope, permitted, plan, claimed);
  const timeout = timeoutOf(scope, permitted.tool);
  const outcome =
    timeout === undefined
      ? await executing
      : await claimedInTime(executing, timeout, permitted, claimed);
  // The usage of this step, and not that of another process whose outcome the ledger returned.
  const { spent } = callScope;
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
  permitted: Permitted,
  held: HeldClaim,
): Promise<Outcome> {
  const { cancellation } = permitted.scope;
  const timer = new AbortController();
  // The timer of a cancelled call must not keep the process alive.
  const forget = cancellation.onCancel(() => timer.abort(null));
  const sleeping = liveEnvironment.sleep(timeout, timer.signal);
  const first = await liveEnvironment.race<Outcome | void>([executing, sleeping]);
  forget();
  timer.abort(null);
  // A cancellation ends the timer early. That is not a timeout.
  if (first !== undefined || cancellation.cancelled) return executing;
  return claimedTimedOut(permitted, timeout, held);
}

/** Cancels a claimed call. If this process holds the claim, the call is in doubt. */
function claimedTimedOut(
  { at, tool, scope }: Permitted,
  timeout: number,
  { claim }: HeldClaim,
): Outcome {
  const reason = timeoutText(timeout);
  scope.cancellation.cancel(new Error(reason));
  if (claim === undefined) {
    const content = `The call is being run elsewhere; after ${timeout} ms it had no result yet.`;
    return { kind: 'retry', content };
  }
  const doubt = { claim, reason, since: liveEnvironment.now() };
  return outcomeOfDoubt(at.call, tool.definition.onInDoubt ?? 'ask', doubt);
}

function execute(scope: ExecutionScope, permitted: Permitted): Promise<Outcome> {
  return scope.tracer === noopTracer ? perform(scope, permitted) : performTraced(scope, permitted);
}

/** Claims and executes a call. Errors are data, like every outcome of a step. */
async function executeClaimed(
  scope: ExecutionScope,
  permitted: Permitted,
  plan: ClaimPlan,
  held: HeldClaim,
): Promise<Outcome> {
  const { at, permit, tool, scope: callScope } = permitted;
  try {
    // There is a plan only where there are claims.
    return await runClaimed(scope.claims!, {
      call: at.call,
      plan,
      onInDoubt: tool.definition.onInDoubt ?? 'ask',
      cancellation: callScope.cancellation,
      onHeld: (claim) => {
        held.claim = claim;
      },
      hasStarted: () => Permit.wasUsed(permit),
      perform: () => execute(scope, permitted),
    });
  } catch (error) {
    return { kind: 'error', error };
  }
}

/**
 * Executes a permitted call; what it comes to is data. As an async function it would hold 200 bytes
 * more for each call that is under way, a tenth of all.
 */
function perform(scope: ExecutionScope, permitted: Permitted): Promise<Outcome> {
  const hooks = scope.hooks.wrapToolExecution;
  permitted.scope.beginExecution();
  try {
    const returning =
      hooks === undefined
        ? permitted.tool.execute(permitted.permit, permitted.ctx)
        : executeInside(hooks, permitted);
    return Promise.resolve(returning).then(
      // Bound: closures would hold 64 bytes more for each call that is under way.
      takeReturned.bind(permitted),
      takeThrown.bind(permitted),
    );
  } catch (thrown) {
    return new Promise((resolve) => resolve(takeThrown.call(permitted, thrown)));
  }
}

function takeReturned(this: Permitted, returned: unknown): Outcome {
  let outcome: Outcome;
  try {
    outcome = outcomeOfValue(returned, this.at.call.toolName);
  } catch (thrown) {
    return takeThrown.call(this, thrown);
  }
  return ended(this, outcome);
}

function takeThrown(this: Permitted, thrown: unknown): Outcome {
  let outcome: Outcome;
  try {
    outcome = outcomeOfThrown(thrown);
  } catch (error) {
    // A signal that the run cannot take, such as one whose metadata has no JSON form.
    outcome = { kind: 'error', error };
  }
  return ended(this, outcome);
}

/** What the call has come to, with what was used and what it ran with. */
function ended({ at, scope, changedArgs }: Permitted, outcome: Outcome): Outcome {
  scope.end();
  const { spent } = scope;
  const executedArgs = at.approval && changedArgs;
  if (spent === undefined && executedArgs === undefined) return outcome;
  return { ...outcome, spent, executedArgs };
}

/** Executes a call with hooks around it. The permit is good for one execution, whatever they do. */
function executeInside(
  hooks: NonNullable<HookSet['wrapToolExecution']>,
  { permit, tool, ctx, scope }: Permitted,
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
      // Nobody wants the call any more, should a hook come to it too late.
      scope.cancellation.throwIfCancelled();
      return tool.execute(permit, ctx);
    },
  );
}

function performTraced(scope: ExecutionScope, permitted: Permitted): Promise<Outcome> {
  const { call, args } = permitted.permit;
  const attributes = () => ({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.toolName,
    'gen_ai.tool.call.id': call.toolCallId,
    ...(scope.traceIncludeContent ? { 'gen_ai.tool.call.arguments': toText(args) } : {}),
  });
  return traced(scope.tracer, `execute_tool ${call.toolName}`, attributes, async (span) => {
    const outcome = await perform(scope, permitted);
    if (outcome.kind === 'error') {
      span.recordException(toError(outcome.error));
    } else if (outcome.kind === 'value' && scope.traceIncludeContent) {
      span.setAttribute('gen_ai.tool.call.result', toText(outcome.value));
    }
    return outcome;
  });
}
