import { compose } from '../capabilities/compose.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import { frozenCopy } from '../messages/json.ts';
import { Permit } from '../tools/permit.ts';
import type { LedgerClaim } from '../ledger/ledger.ts';
import type { ClaimPlan } from './claim.ts';
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
  conclude(outcome: Outcome | void): Outcome;
}

/** Starts a permitted call, at once. */
export function startCall(
  scope: ExecutionScope,
  permitted: Permitted,
  environment: Environment = scope.environment,
): RunningCall {
  return new StartedCall(scope, permitted, environment);
}

class StartedCall implements RunningCall {
  readonly finished: Promise<Outcome | void>;
  readonly #scope: ExecutionScope;
  readonly #permitted: Permitted;
  readonly #environment: Environment;
  #performed = false;
  #held: LedgerClaim | undefined;
  #timer: CallTimer | undefined;

  constructor(scope: ExecutionScope, permitted: Permitted, environment: Environment) {
    this.#scope = scope;
    this.#permitted = permitted;
    this.#environment = environment;
    const { definition } = permitted.tool;
    const step = environment.step(`tool:${permitted.permit.call.toolName}`, () => this.#perform());
    const timeout = definition.timeout ?? scope.toolTimeout;
    this.finished = timeout === undefined ? step : this.#inTime(step, timeout);
  }

  conclude(outcome: Outcome | void): Outcome {
    const timer = this.#timer;
    timer?.forget();
    // With a reason: otherwise an error is made, with its stack, which takes 4 µs.
    timer?.controller.abort(null);
    // Without a timeout there is always an outcome.
    if (!outcome) return this.#timedOut(timer!.timeout);
    // What a recorded call used is counted here; a call that ran has counted it already.
    if (outcome.spent !== undefined && !this.#performed) this.#scope.usage.add(outcome.spent);
    return outcome;
  }

  #perform(): Promise<Outcome> {
    this.#performed = true;
    const { plan } = this.#permitted;
    return plan === undefined ? this.#execute() : this.#performClaimed(plan);
  }

  #execute(): Promise<Outcome> {
    return this.#scope.tracer === noopTracer
      ? perform(this.#scope, this.#permitted)
      : performTraced(this.#scope, this.#permitted);
  }

  #inTime(step: Promise<Outcome>, timeout: number): Promise<Outcome | void> {
    const controller = new AbortController();
    // A call that nobody wants any more must not keep a timer, and so the process, alive.
    const forget = this.#permitted.scope.cancellation.onCancel(() => controller.abort(null));
    this.#timer = { timeout, controller, forget };
    return this.#environment.race<Outcome | void>([
      step,
      this.#environment.sleep(timeout, controller.signal),
    ]);
  }

  #timedOut(timeout: number): Outcome {
    const { permit, tool, plan, scope } = this.#permitted;
    const content = `The tool took longer than ${timeout} ms and was stopped.`;
    scope.cancellation.cancel(new Error(content));
    if (plan === undefined) return { kind: 'retry', content };
    if (this.#held === undefined) {
      const waited = `The call is being run elsewhere; after ${timeout} ms it had no result yet.`;
      return { kind: 'retry', content: waited };
    }
    const doubt = { claim: this.#held, reason: content, since: this.#environment.now() };
    return outcomeOfDoubt(permit.call, tool.definition.onInDoubt ?? 'ask', doubt);
  }

  /** Executes the call with the claim of it. */
  async #performClaimed(plan: ClaimPlan): Promise<Outcome> {
    const { permit, tool, scope } = this.#permitted;
    try {
      // There is a plan only where there are claims.
      return await runClaimed(this.#scope.claims!, {
        call: permit.call,
        plan,
        onInDoubt: tool.definition.onInDoubt ?? 'ask',
        cancellation: scope.cancellation,
        onHeld: (held) => {
          this.#held = held;
        },
        hasStarted: () => Permit.wasUsed(permit),
        perform: () => this.#execute(),
      });
    } catch (error) {
      return { kind: 'error', error };
    }
  }
}

/** Ends the wait for a call. */
interface CallTimer {
  readonly timeout: number;
  readonly controller: AbortController;
  readonly forget: () => void;
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
      (returned) => takeReturned(permitted, returned),
      (thrown) => takeThrown(permitted, thrown),
    );
  } catch (thrown) {
    return new Promise((resolve) => resolve(takeThrown(permitted, thrown)));
  }
}

function takeReturned(permitted: Permitted, returned: unknown): Outcome {
  let outcome: Outcome;
  try {
    outcome = outcomeOfValue(returned, permitted.permit.call.toolName);
  } catch (thrown) {
    return takeThrown(permitted, thrown);
  }
  return ended(permitted, outcome);
}

function takeThrown(permitted: Permitted, thrown: unknown): Outcome {
  return ended(permitted, outcomeOfThrown(thrown));
}

/** What the call has come to, with what was used and what it ran with. */
function ended({ scope, editedArgs: executedArgs }: Permitted, outcome: Outcome): Outcome {
  scope.end();
  const { spent } = scope;
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
