import { Context } from '../context/context.ts';
import type { CheckedEdit, EditCheck } from '../deferred/pending-call.ts';
import { type JsonObject, toFrozenJson } from '../internal/json.ts';
import { type CallDetails, previewWithInputs } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { describeCall } from './describe-call.ts';
import type { GateScope } from './gate-scope.ts';
import { type Rejected, validateArgs } from './validate-args.ts';

/** A pending call that an approver may edit. */
export interface EditableCall {
  readonly call: ToolCallPart;
  readonly details: CallDetails | undefined;
}

/** Returns a function that validates and describes edited arguments as the gate will. Nothing executes. */
export function editCheck(scope: GateScope, calls: readonly EditableCall[]): EditCheck {
  return async (toolCallId, args) => {
    const pending = calls.find(({ call }) => call.toolCallId === toolCallId);
    const tool = pending && scope.tools.get(pending.call.toolName);
    // An object stays an object.
    return tool && checkEdit(scope, pending, tool, toFrozenJson(args, 'args') as JsonObject);
  };
}

async function checkEdit(
  scope: GateScope,
  { call, details: request }: EditableCall,
  tool: ToolsetTool<never>,
  args: JsonObject,
): Promise<CheckedEdit> {
  const { cancellation: parent, lastResponse: response } = scope;
  const approval = { inputs: request?.earlier?.inputs, questionState: request?.questionState };
  const ctx = new Context<never>(scope, { call, response, approval });
  const candidate = { scope, request: { call }, tool, ctx, parent, sentArgs: args };
  const validated = await validateArgs(candidate);
  if (validated.kind === 'rejected') return { ok: false, issues: issuesOf(validated) };
  const sent = validated.changedArgs ?? args;
  const details = await describeCall(candidate, validated, sent);
  const shown = details?.validatedArgs ?? sent;
  const preview = previewWithInputs(details?.preview, request);
  return { ok: true, args: shown, ...(preview !== undefined && { preview }) };
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
