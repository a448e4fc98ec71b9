import { schemaHash } from '../ledger/schema-hash.ts';
import type { CallDetails } from '../messages/call-details.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../internal/json.ts';
import { isSameJson } from '../internal/same-json.ts';
import { parseArgs } from '../tools/parse-args.ts';
import type { Approval } from './approval.ts';
import { previewOf } from './describe-call.ts';
import { recordedArgs } from './shown-args.ts';
import type { GateCandidate, ToolInContext } from './candidate.ts';

/** An approved call, and the approval request that was recorded for it. */
export interface ApprovedCall {
  readonly approval: Approval;
  readonly request: CallDetails;
  /** The call as it would execute now. */
  readonly now: CallDetails;
}

/**
 * Returns whether an approved call differs from what its approver was shown: the tool has another version or
 * schema, the validated arguments differ, or the preview does.
 */
export async function hasDrifted(
  candidate: GateCandidate,
  approved: ApprovedCall,
): Promise<boolean> {
  const { sentArgs, tool } = candidate;
  const { approval, request, now } = approved;
  if (now.version !== request.version || now.inputOnly !== request.inputOnly) return true;
  const { schemaHash: recorded } = request;
  if (recorded !== undefined && recorded !== (await schemaHash(tool.definition))) return true;
  if (approval.overrideArgs !== undefined) return editDiffers(candidate, approved);
  const args = recordedArgs(now, sentArgs);
  const shownArgs = recordedArgs(request, sentArgs);
  return (
    !isSameJson(args ?? null, shownArgs ?? null) ||
    !isSameJson(now.preview ?? null, request.preview ?? null)
  );
}

/**
 * An edit is compared with what its approver was shown for it. If the decision does not say what that was, the
 * approver must have typed or seen every value, and the request itself must be unchanged.
 */
async function editDiffers(
  candidate: GateCandidate,
  { now, approval, request }: ApprovedCall,
): Promise<boolean> {
  const { sentArgs } = candidate;
  const validated = recordedArgs(now, sentArgs);
  const { shown } = approval;
  if (shown !== undefined) {
    const isShown = validated === undefined || isSameOrAbsent(validated, shown.args);
    return !isShown || !isSameOrAbsent(now.preview, shown.preview);
  }
  const parsed = parseArgs(request.args ?? candidate.request.call.args);
  const requestedArgs = parsed.ok ? parsed.value : sentArgs;
  const requested = recordedArgs(request, requestedArgs);
  if (validated !== undefined && !wasSeen(validated, sentArgs, requested)) return true;
  return requestedPreviewDiffers(candidate, request, requestedArgs);
}

/** Returns whether the preview of the request would be another one now. */
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
