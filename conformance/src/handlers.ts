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

import { buildResults, toResults } from './answers.ts';
import { runAgent } from './behaviours.ts';
import { describeHandlerContext, describeRequests } from './describe-deferred.ts';
import { errorOf } from './describe.ts';
import type { HandlerSpec, OneOrMore } from './scenario.ts';
import type { Stage } from './stage.ts';

/** The handlers of an agent, or of a run; they are numbered from `first` on. */
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
    return answer(stage.next(`handler ${number}`, spec), { requests, ctx, stage });
  };
}

/** What a handler is asked. */
interface Question {
  readonly requests: DeferredToolRequests;
  readonly ctx: RunContext;
  readonly stage: Stage;
}

/** Does what the scenario says; a promise only if it has to run an agent. */
function answer(spec: HandlerSpec, question: Question): HandlerResult | Promise<HandlerResult> {
  const { requests } = question;
  switch (spec.do) {
    case 'approve_all':
      return buildResults(requests, { metadata: spec.metadata ?? null, approve_all: true });
    case 'results':
      return toResults(spec);
    case 'build_results':
      return buildResults(requests, spec);
    case 'by_tool':
      return toResults({
        approvals: answersTo(requests.approvals, spec.approvals ?? {}),
        calls: answersTo(requests.calls, spec.calls ?? {}),
      });
    case 'decline':
      return undefined;
    case 'throw':
      throw errorOf(spec.error, spec.message);
    case 'run_agent':
      return runAgent(spec, question).then((value) =>
        buildResults(requests, {
          // What an agent of a scenario gives is JSON.
          calls: Object.fromEntries(
            requests.calls.map(({ toolCallId }) => [toolCallId, { value: value as JsonValue }]),
          ),
          approve_all: true,
        }),
      );
  }
}

/** By tool call id, the answers that are there for the tools of the calls. */
function answersTo<Answer>(
  calls: readonly ToolCallPart[],
  byTool: Readonly<Record<string, Answer>>,
): Record<string, Answer> {
  const answers: Record<string, Answer> = {};
  for (const { toolName, toolCallId } of calls) {
    const one = Object.hasOwn(byTool, toolName) ? byTool[toolName] : undefined;
    if (one !== undefined) answers[toolCallId] = one;
  }
  return answers;
}
