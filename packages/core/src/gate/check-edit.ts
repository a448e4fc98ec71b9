import { Context } from '../context/context.ts';
import type { CheckedEdit, EditCheck } from '../deferred/pending-call.ts';
import { type JsonObject, toFrozenJson } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { describeCall } from './describe-call.ts';
import type { GateRequest, GateScope } from './gate-scope.ts';
import { type Rejected, validateArgs } from './validate-args.ts';

/** Returns a function that validates and describes edited arguments as the gate will. Nothing executes. */
export function editCheck(scope: GateScope, calls: readonly GateRequest[]): EditCheck {
  return async (toolCallId, args) => {
    const call = calls.find((request) => request.call.toolCallId === toolCallId)?.call;
    const tool = call && scope.tools.get(call.toolName);
    // An object stays an object.
    return tool && checkEdit(scope, call, tool, toFrozenJson(args, 'args') as JsonObject);
  };
}

async function checkEdit(
  scope: GateScope,
  call: ToolCallPart,
  tool: ToolsetTool<never>,
  args: JsonObject,
): Promise<CheckedEdit> {
  const { cancellation: parent, lastResponse: response } = scope;
  const ctx = new Context<never>(scope, { call, response, approval: {} });
  const candidate = { scope, request: { call }, tool, ctx, parent, sentArgs: args };
  const validated = await validateArgs(candidate);
  if (validated.kind === 'rejected') return { ok: false, issues: issuesOf(validated) };
  const sent = validated.changedArgs ?? args;
  const details = await describeCall(candidate, validated, sent);
  const shown = details?.validatedArgs ?? sent;
  return {
    ok: true,
    args: shown,
    ...(details?.preview !== undefined && { preview: details.preview }),
  };
}

function issuesOf({ outcome }: Rejected): Extract<CheckedEdit, { ok: false }>['issues'] {
  if (outcome.kind === 'retry' && typeof outcome.content !== 'string') return outcome.content;
  const message =
    outcome.kind === 'retry'
      ? String(outcome.content)
      : outcome.kind === 'failed'
        ? outcome.message
        : 'This call is not allowed.';
  return [{ path: [], message }];
}
