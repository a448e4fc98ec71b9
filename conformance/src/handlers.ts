import type {
  Capability,
  DeferredToolHandler,
  DeferredToolRequests,
  JsonValue,
  RunContext,
  ToolCallPart,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import type { HandlerResult } from 'holdpoint/deferral';
import { buildResults, toResults } from './deferred-results.ts';
import { runAgent } from './behaviours.ts';
import { describeHandlerContext, describeRequests } from './describe-deferred.ts';
import { errorOf } from './describe.ts';
import type { HandlerSpec, OneOrMore } from './scenario.ts';
import type { Stage } from './stage.ts';

/** Builds the handlers of an agent or of a run, with numbers from `first`. */
export function buildHandlers(
  specs: readonly OneOrMore<HandlerSpec>[],
  first: number,
  stage: Stage,
): Capability[] {
  return specs.map((spec, index) =>
    handleDeferredToolCalls(handlerFunction(first + index, spec, stage)),
  );
}

function handlerFunction(
  number: number,
  spec: OneOrMore<HandlerSpec>,
  stage: Stage,
): DeferredToolHandler {
  return (requests, ctx) => {
    stage.log.handlerCalls.push({
      handler: number,
      requests: describeRequests(requests),
      ctx: describeHandlerContext(ctx),
    });
    return handle(stage.next(`handler ${number}`, spec), { requests, ctx, stage });
  };
}

/** The arguments of a handler. */
interface HandlerCall {
  readonly requests: DeferredToolRequests;
  readonly ctx: RunContext;
  readonly stage: Stage;
}

/** Executes the behaviour of a handler. Returns a promise only if it runs an agent. */
function handle(spec: HandlerSpec, call: HandlerCall): HandlerResult | Promise<HandlerResult> {
  const { requests } = call;
  switch (spec.do) {
    case 'approve_all':
      return buildResults(requests, { metadata: spec.metadata ?? null, approve_all: true });
    case 'results':
      return toResults(spec);
    case 'build_results':
      return buildResults(requests, spec);
    case 'by_tool':
      return toResults({
        approvals: valuesFor(requests.approvals, spec.approvals ?? {}),
        calls: valuesFor(requests.calls, spec.calls ?? {}),
      });
    case 'decline':
      return undefined;
    case 'throw':
      throw errorOf(spec.error, spec.message);
    case 'run_agent':
      return runAgent(spec, call).then((value) =>
        buildResults(requests, {
          // The output of an agent of a scenario is JSON.
          calls: Object.fromEntries(
            requests.calls.map(({ toolCallId }) => [toolCallId, { value: value as JsonValue }]),
          ),
          approve_all: true,
        }),
      );
  }
}

/** Returns the values of `byTool` for the tools of the calls, by tool call id. */
function valuesFor<Value>(
  calls: readonly ToolCallPart[],
  byTool: Readonly<Record<string, Value>>,
): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const { toolName, toolCallId } of calls) {
    const one = Object.hasOwn(byTool, toolName) ? byTool[toolName] : undefined;
    if (one !== undefined) values[toolCallId] = one;
  }
  return values;
}
