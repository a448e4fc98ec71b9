import { compose } from '../capabilities/compose.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import { frozenCopy } from '../messages/json.ts';
import { Permit } from '../tools/permit.ts';
import type { LedgerClaim } from '../ledger/ledger.ts';
import { outcomeOfDoubt, runClaimed } from './claimed-call.ts';
import type { Environment } from '../context/environment.ts';
import { noopTracer, toError, toText, traced } from '../context/tracer.ts';
import type { Permitted } from './gate.ts';
import { type Outcome, outcomeOfThrown, outcomeOfValue } from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** A call that is being executed. */
export interface RunningCall {
  /**
   * Straight from the environment, so that it can wait for it in its own way: the outcome, or
   * nothing if the time was up. It never rejects.
   */
  readonly finished: Promise<Outcome | void>;
  /** Turns what `finished` gave into the outcome. */
  readonly conclude: (outcome: Outcome | void) => Outcome;
}

/** Starts a permitted call, at once. */
export function startCall(
  scope: ExecutionScope,
  permitted: Permitted,
  environment: Environment = scope.environment,
): RunningCall {
  const { toolName } = permitted.permit.call;
  let performed = false;
  const claim: { held?: LedgerClaim } = {};
  const step = environment.step(`tool:${toolName}`, () => {
    performed = true;
    const execute = () =>
      scope.tracer === noopTracer ? perform(scope, permitted) : performTraced(scope, permitted);
    return permitted.plan === undefined
      ? execute()
      : performClaimed(scope, permitted, claim, execute);
  });
  const count = (outcome: Outcome) => {
    // What a recorded call used is counted here; a call that ran has counted it already.
    if (outcome.spent !== undefined && !performed) scope.usage.add(outcome.spent);
    return outcome;
  };
  const timeout = permitted.tool.definition.timeout ?? scope.toolTimeout;
  // Without a timeout there is always an outcome.
  if (timeout === undefined) return { finished: step, conclude: (outcome) => count(outcome!) };
  const timer = new AbortController();
  // A call that nobody wants any more must not keep a timer, and so the process, alive.
  const forget = permitted.scope.cancellation.onCancel(() => timer.abort());
  return {
    finished: environment.race<Outcome | void>([step, environment.sleep(timeout, timer.signal)]),
    conclude(outcome) {
      forget();
      timer.abort();
      if (outcome) return count(outcome);
      return timedOut(permitted, timeout, claim.held, environment.now());
    },
  };
}

function timedOut(
  permitted: Permitted,
  timeout: number,
  claim: LedgerClaim | undefined,
  since: number,
): Outcome {
  const content = `The tool took longer than ${timeout} ms and was stopped.`;
  permitted.scope.cancellation.cancel(new Error(content));
  if (claim === undefined && permitted.plan === undefined) return { kind: 'retry', content };
  if (claim === undefined) {
    const waited = `The call is being run elsewhere; after ${timeout} ms it had no result yet.`;
    return { kind: 'retry', content: waited };
  }
  const { permit, tool } = permitted;
  const { onInDoubt = 'ask' } = tool.definition;
  return outcomeOfDoubt(permit.call, onInDoubt, { claim, reason: content, since });
}

/** Executes a permitted call with the claim of it. */
async function performClaimed(
  { claims }: ExecutionScope,
  { plan, permit, tool, scope }: Permitted,
  claim: { held?: LedgerClaim },
  execute: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await runClaimed(claims!, {
      call: permit.call,
      plan: plan!,
      onInDoubt: tool.definition.onInDoubt ?? 'ask',
      cancellation: scope.cancellation,
      onHeld: (held) => {
        claim.held = held;
      },
      hasStarted: () => Permit.wasUsed(permit),
      perform: execute,
    });
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** Executes a permitted call; what it comes to is data. */
async function perform({ hooks }: ExecutionScope, permitted: Permitted): Promise<Outcome> {
  const { permit, tool, ctx, scope } = permitted;
  let outcome: Outcome;
  scope.beginExecution();
  try {
    const returned =
      hooks.aroundToolExecution === undefined
        ? await tool.execute(permit, ctx)
        : await executeInside(hooks.aroundToolExecution, permitted);
    outcome = outcomeOfValue(returned, permit.call.toolName);
  } catch (thrown) {
    outcome = outcomeOfThrown(thrown);
  }
  scope.cancellation.release();
  const { spent } = scope;
  const { editedArgs: executedArgs } = permitted;
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
