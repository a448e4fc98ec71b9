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
  const step = environment.step(`tool:${toolName}`, () => {
    performed = true;
    return scope.tracer === noopTracer ? perform(permitted) : performTraced(scope, permitted);
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
      return outcome ? count(outcome) : timedOut(permitted, timeout);
    },
  };
}

function timedOut(permitted: Permitted, timeout: number): Outcome {
  const content = `The tool took longer than ${timeout} ms and was stopped.`;
  permitted.scope.cancellation.cancel(new Error(content));
  return { kind: 'retry', content };
}

/** Executes a permitted call; what it comes to is data. */
async function perform(permitted: Permitted): Promise<Outcome> {
  const { permit, tool, ctx, scope } = permitted;
  let outcome: Outcome;
  try {
    outcome = outcomeOfValue(await tool.execute(permit, ctx), permit.call.toolName);
  } catch (thrown) {
    outcome = outcomeOfThrown(thrown);
  }
  scope.cancellation.release();
  const { spent } = scope;
  return spent === undefined ? outcome : { ...outcome, spent };
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
    const outcome = await perform(permitted);
    if (outcome.kind === 'error') {
      span.recordException(toError(outcome.error));
    } else if (outcome.kind === 'value' && scope.traceIncludeContent) {
      span.setAttribute('gen_ai.tool.call.result', toText(outcome.value));
    }
    return outcome;
  });
}
