import { Context } from '../context/context.ts';
import type { CheckedEdit, EditCheck } from '../deferred/checked-edit.ts';
import { type JsonObject, toFrozenJson } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { describeCall } from './describe-call.ts';
import type { PlacedCall } from './placed-call.ts';
import type { ExecutionScope } from './scope.ts';
import { type Refused, verify, verifyInside } from './verify-args.ts';

/** Checks edits of calls as it will be done when they run; nothing runs. */
export function editCheck(scope: ExecutionScope, calls: readonly PlacedCall[]): EditCheck {
  return async (toolCallId, args) => {
    const call = calls.find((placed) => placed.call.toolCallId === toolCallId)?.call;
    const tool = call && scope.tools.get(call.toolName);
    // An object stays one: JSON changes only what is inside.
    return tool && checkEdit(scope, call, tool, toFrozenJson(args, 'args') as JsonObject);
  };
}

async function checkEdit(
  scope: ExecutionScope,
  call: ToolCallPart,
  tool: ToolsetTool<never>,
  args: JsonObject,
): Promise<CheckedEdit> {
  const { cancellation: parent, hooks, lastResponse: response } = scope;
  const ctx = new Context<never>(scope, { call, response, approval: {} });
  const looked = { at: { call }, tool, ctx, parent };
  const verified =
    hooks.wrapToolValidation === undefined
      ? await verify(looked, args)
      : await verifyInside(hooks.wrapToolValidation, looked, args);
  if (verified.kind === 'refused') return { ok: false, issues: issuesOf(verified) };
  const sent = verified.changedArgs ?? args;
  const details = await describeCall(looked, verified, sent);
  const shown = details?.validatedArgs ?? sent;
  return {
    ok: true,
    args: shown,
    ...(details?.preview !== undefined && { preview: details.preview }),
  };
}

function issuesOf({ outcome }: Refused): Extract<CheckedEdit, { ok: false }>['issues'] {
  if (outcome.kind === 'retry' && typeof outcome.content !== 'string') return outcome.content;
  const message =
    outcome.kind === 'retry'
      ? String(outcome.content)
      : outcome.kind === 'failed'
        ? outcome.message
        : 'This call is not allowed.';
  return [{ path: [], message }];
}
