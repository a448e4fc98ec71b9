import { Context } from '../context/context.ts';
import { type JsonObject, type JsonValue, isPlainObject, isSameJson } from '../internal/json.ts';
import { schemaHash } from '../ledger/digest.ts';
import { parseArgs } from '../tools/parse-args.ts';
import { pathKey } from '../deferred/nested-calls.ts';
import { UserError } from '../errors/user-errors.ts';
import { type CallDetails, NO_DETAILS, previewWithInputs } from '../messages/call-details.ts';
import type { Approval, CallToVerify } from './approval.ts';
import type { GateCandidate, ToolInContext } from './gate-scope.ts';
import { callDetails, previewOf, recordedArgs, requireShowable } from './describe-call.ts';
import type { ValidatedArgs } from './validate-args.ts';

/**
 * Returns whether an approved call is the one that its approver was shown, and every
 * `verifyApproval` of the run accepts it.
 */
export async function approvalHolds(
  candidate: GateCandidate,
  validated: ValidatedArgs,
  approval: Approval,
): Promise<boolean> {
  const { request } = approval;
  const { approvalVerifiers } = candidate.scope;
  // A history without a step record has nothing that the call could be compared with.
  if (request === undefined && approvalVerifiers.length === 0) return true;
  const { tool, sentArgs } = candidate;
  const { args } = validated;
  requireShowable(tool.definition, args);
  const preview = tool.preview && (await previewOf(asRequested(candidate, approval), args));
  const now = callDetails(tool, args, sentArgs, preview) ?? NO_DETAILS;
  if (request !== undefined) {
    const { schemaHash: recorded } = request;
    if (recorded !== undefined && recorded !== (await schemaHash(tool.definition))) return false;
    if (now.version !== request.version || now.inputOnly !== request.inputOnly) return false;
    const differs =
      approval.overrideArgs === undefined
        ? isShownOtherwise(now, request, sentArgs)
        : await editDiffers(candidate, { approval, request, now });
    if (differs) return false;
  }
  return approvalVerifiers.length === 0 || (await isVerified(candidate, approval, now));
}

/** Returns a call as it was requested: a question was described before its input was known. */
function asRequested(candidate: GateCandidate, approval: Approval): ToolInContext {
  const { scope, request, tool, parent } = candidate;
  if (approval.request?.question === undefined) return candidate;
  const { call } = request;
  const before = { ...approval, inputs: approval.request.earlier?.inputs };
  const facts = { call, response: scope.lastResponse, approval: before };
  return { tool, parent, ctx: new Context<never>(scope, facts) };
}

/** Returns whether an approver would be shown other arguments or another preview now. */
function isShownOtherwise(now: CallDetails, request: CallDetails, sentArgs: JsonObject): boolean {
  return (
    !isSameOrAbsent(recordedArgs(now, sentArgs), recordedArgs(request, sentArgs)) ||
    !isSameOrAbsent(now.preview, request.preview)
  );
}

/** An approved call, and the approval request that was recorded for it. */
interface ApprovedCall {
  readonly approval: Approval;
  readonly request: CallDetails;
  /** The call as it would execute now. */
  readonly now: CallDetails;
}

async function isVerified(
  { scope, request, ctx, sentArgs }: GateCandidate,
  approval: Approval,
  now: CallDetails,
): Promise<boolean> {
  const { toolName, toolCallId } = request.call;
  const agents = scope.path.map((id) => ({ toolName: '', toolCallId: id }));
  const call: CallToVerify = Object.freeze({
    key: pathKey({ agents, toolCallId }),
    toolName,
    args: recordedArgs(now, sentArgs) ?? sentArgs,
    sentArgs,
    preview: previewWithInputs(now.preview, approval.request),
    approval: approval.given,
    metadata: approval.metadata,
  });
  for (const verify of scope.approvalVerifiers) {
    const isAccepted: unknown = await scope.cancellation.guard(verify(call, ctx));
    if (isAccepted === false) return false;
    if (isAccepted !== true) throw notBoolean(toolName, isAccepted);
  }
  return true;
}

function notBoolean(toolName: string, value: unknown): UserError {
  return new UserError(
    `\`verifyApproval\` returned a value of type ${typeof value} for tool \`${toolName}\`, so the call was not executed. ` +
      'Return `true` or `false`.',
  );
}

/**
 * Compares an edit with the description that its approver was shown. Without that description in
 * the decision, the approver must have typed or seen every value, and the request itself must be
 * unchanged.
 */
async function editDiffers(
  candidate: GateCandidate,
  { now, approval, request }: ApprovedCall,
): Promise<boolean> {
  const { sentArgs } = candidate;
  const validated = recordedArgs(now, sentArgs);
  const { shown } = approval;
  if (shown !== undefined) {
    const isShown = isSameOrAbsent(validated ?? sentArgs, shown.args);
    const preview = previewWithInputs(now.preview, request);
    return !isShown || !isSameOrAbsent(preview, shown.preview);
  }
  const parsed = parseArgs(request.args ?? candidate.request.call.args);
  const requestedArgs = parsed.ok ? parsed.value : sentArgs;
  const requested = recordedArgs(request, requestedArgs);
  if (validated !== undefined && !wasSeen(validated, sentArgs, requested)) return true;
  return requestedPreviewDiffers(candidate, request, requestedArgs);
}

/** Returns whether the preview of the request would now be different. */
async function requestedPreviewDiffers(
  candidate: ToolInContext,
  request: CallDetails,
  requestedArgs: JsonObject,
): Promise<boolean> {
  if (candidate.tool.preview === undefined) return request.preview !== undefined;
  const shown = recordedArgs(request, requestedArgs);
  if (shown !== undefined)
    return !isSameOrAbsent(await previewOf(candidate, shown), request.preview);
  const checked = await candidate.parent.guard(candidate.tool.check(requestedArgs));
  return !checked.ok || !isSameOrAbsent(await previewOf(candidate, checked.value), request.preview);
}

/** Returns whether each part of a value is one that the approver typed or was shown. */
function wasSeen(
  value: JsonValue,
  typed: JsonValue | undefined,
  shown: JsonValue | undefined,
): boolean {
  if (typed !== undefined && (isSameOrAbsent(value, typed) || readsTheSame(value, typed)))
    return true;
  if (shown !== undefined && isSameOrAbsent(value, shown)) return true;
  if (!isPlainObject(value)) return false;
  // A plain object that is JSON is a JSON object.
  return Object.entries(value as JsonObject).every(([key, member]) =>
    wasSeen(member, jsonMember(typed, key), jsonMember(shown, key)),
  );
}

/** Returns whether a schema only coerced the type of a typed value, such as `"7"` to `7`. */
function readsTheSame(value: JsonValue, typed: JsonValue): boolean {
  return isScalar(value) && isScalar(typed) && String(value) === String(typed);
}

function isScalar(value: JsonValue): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function jsonMember(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isPlainObject(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}

function isSameOrAbsent(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return isSameJson(one ?? null, other ?? null);
}
