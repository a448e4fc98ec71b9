import { compose } from '../capabilities/compose.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import type { CallScope } from '../context/call-scope.ts';
import { frozenCopy } from '../messages/json.ts';
import { createMark } from '../messages/mark.ts';
import { Permit } from '../tools/permit.ts';
import type { Ledger, LedgerClaim } from '../ledger/ledger.ts';
import type { ClaimPlan } from './claim.ts';
import { outcomeOfDoubt, runClaimed } from './claimed-call.ts';
import type { Environment } from '../context/environment.ts';
import { noopTracer, toError, toText, traced } from '../context/tracer.ts';
import type { Permitted } from './gate.ts';
import { type Outcome, outcomeOfThrown, outcomeOfValue } from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/**
 * Starts a permitted call, at once. What it gives comes straight from the environment, so that it can be
 * waited for in the environment's own way, and goes to {@link concludeCall}; it never rejects.
 */
export function startCall(
  scope: ExecutionScope,
  permitted: Permitted,
  environment: Environment = scope.environment,
): Promise<Outcome | void> {
  const step = environment.step(`tool:${permitted.at.call.toolName}`, () =>
    performStep(scope, permitted),
  );
  const timeout = timeoutOf(scope, permitted);
  return timeout === undefined ? step : inTime(step, timeout, permitted, environment);
}

/** Turns what a call that was started has given into its outcome: nothing, if its time was up. */
export function concludeCall(
  scope: ExecutionScope,
  permitted: Permitted,
  outcome: Outcome | void,
  environment: Environment = scope.environment,
): Outcome {
  const timeout = timeoutOf(scope, permitted);
  if (timeout !== undefined) timers.get(permitted.scope)?.();
  // Without a timeout there is always an outcome.
  if (!outcome) return timedOut(permitted, timeout!, environment);
  // What a recorded call used is counted here; a call that ran has counted it already.
  if (outcome.spent !== undefined && !permitted.scope.hasBegun) scope.usage.add(outcome.spent);
  return outcome;
}

function timeoutOf({ toolTimeout }: ExecutionScope, { tool }: Permitted): number | undefined {
  return tool.definition.timeout ?? toolTimeout;
}

/** How to stop the timers of calls that may take only so long. */
const timers = createMark<CallScope, () => void>();

/** Waits for a call, but no longer than it may take. */
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

/** The claims with which calls are run. */
const heldClaims = createMark<CallScope, LedgerClaim>();

function timedOut(
  { at, tool, plan, scope }: Permitted,
  timeout: number,
  environment: Environment,
): Outcome {
  const content = `The tool took longer than ${timeout} ms and was stopped.`;
  scope.cancellation.cancel(new Error(content));
  if (plan === undefined) return { kind: 'retry', content };
  const claim = heldClaims.get(scope);
  if (claim === undefined) {
    const waited = `The call is being run elsewhere; after ${timeout} ms it had no result yet.`;
    return { kind: 'retry', content: waited };
  }
  const doubt = { claim, reason: content, since: environment.now() };
  return outcomeOfDoubt(at.call, tool.definition.onInDoubt ?? 'ask', doubt);
}

/** What the environment records as one step. */
function performStep(scope: ExecutionScope, permitted: Permitted): Promise<Outcome> {
  const { plan } = permitted;
  permitted.scope.beginStep();
  if (plan !== undefined) return performClaimed(scope, permitted, plan);
  const { ledger } = scope.claims ?? {};
  return ledger?.requireActive === undefined
    ? execute(scope, permitted)
    : performUnclaimed(scope, permitted, ledger);
}

/** Executes a call that is not claimed, unless nothing of the run may start any more. */
async function performUnclaimed(
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

function execute(scope: ExecutionScope, permitted: Permitted): Promise<Outcome> {
  return scope.tracer === noopTracer ? perform(scope, permitted) : performTraced(scope, permitted);
}

/** Executes a call with the claim of it. */
async function performClaimed(
  scope: ExecutionScope,
  permitted: Permitted,
  plan: ClaimPlan,
): Promise<Outcome> {
  const { at, permit, tool, scope: callScope } = permitted;
  try {
    // There is a plan only where there are claims.
    return await runClaimed(scope.claims!, {
      call: at.call,
      plan,
      onInDoubt: tool.definition.onInDoubt ?? 'ask',
      cancellation: callScope.cancellation,
      onHeld: (claim) => heldClaims.set(callScope, claim),
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
  const hooks = scope.hooks.aroundToolExecution;
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
  return ended(this, outcomeOfThrown(thrown));
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
  hooks: NonNullable<HookSet['aroundToolExecution']>,
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
