import type { CheckedArgs } from '../deferred/requests.ts';
import { UserError } from '../errors/user-errors.ts';
import type { CallDetails, EarlierApproval, EarlierDecisions } from '../messages/call-details.ts';
import {
  type JsonObject,
  type JsonValue,
  isPlainObject,
  MAX_DEPTH,
  toFrozenJson,
} from '../internal/json.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { type DeferredOutcome, outcomeOfThrown } from '../outcomes/outcome.ts';
import { type Approval, isApproved } from './approval.ts';
import type { ToolInContext } from './gate-scope.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';

/**
 * Describes a call for its approver: the validated arguments, the preview and the tool's version.
 *
 * `sent` are the arguments before validation. Returns `undefined` if the description adds nothing
 * to them.
 */
export async function describeCall(
  candidate: ToolInContext,
  { args }: CheckedArgs,
  sent: JsonObject | undefined,
): Promise<CallDetails | undefined> {
  requireShowable(candidate.tool.definition, args);
  return callDetails(candidate.tool, args, sent, await previewOf(candidate, args));
}

/** Returns the description of a call whose preview is known. Its arguments have a JSON form. */
export function callDetails(
  { definition }: ToolsetTool<never>,
  args: unknown,
  sent: JsonObject | undefined,
  preview: JsonValue | undefined,
): CallDetails | undefined {
  const { version, approversSee } = definition;
  let shown: ShownArgs | undefined;
  if (approversSee === 'input') shown = { inputOnly: true };
  else if (sent === undefined || !isSameInOrder(args, sent))
    shown = { validatedArgs: toFrozenJson(args, 'args') };
  if (shown === undefined && preview === undefined && version === undefined) return undefined;
  return Object.freeze({
    ...shown,
    ...(preview !== undefined && { preview }),
    ...(version !== undefined && { version }),
  });
}

/** Returns the tool's preview of a call with these arguments. */
export async function previewOf(
  { tool, ctx, parent }: ToolInContext,
  args: unknown,
): Promise<JsonValue | undefined> {
  if (tool.preview === undefined) return undefined;
  try {
    const preview = await parent.guard(tool.preview(args, ctx));
    return preview === undefined
      ? undefined
      : toFrozenJson(preview, 'preview', tool.definition.name);
  } catch (thrown) {
    throw outcomeOfThrown(thrown).kind === 'error' ? thrown : signalInPreview(tool, thrown);
  }
}

function signalInPreview({ definition: { name } }: ToolsetTool<never>, thrown: unknown): UserError {
  return new UserError(
    `The preview of tool \`${name}\` threw ${(thrown as Error).name}, which only \`execute\` and \`argsValidator\` ` +
      'may throw. Move the check to an `argsValidator`; the preview is computed after it.',
    { cause: thrown },
  );
}

/** Returns details with the arguments to execute, if they differ from what the model sent. */
export function withArgs(
  details: CallDetails | undefined,
  args: JsonObject | undefined,
): CallDetails | undefined {
  return args === undefined ? details : Object.freeze({ ...details, args });
}

/**
 * Returns details with the question of the tool, and with the decisions about earlier requests that still hold: inputs
 * always, an approval only while the call asks a question.
 */
export function withQuestion(
  details: CallDetails | undefined,
  { question, questionState }: DeferredOutcome,
  decided: Approval | undefined,
): CallDetails | undefined {
  const { metadata, given, inputs = [] } = decided ?? {};
  // A call that needs approval after its question executes again with the same input.
  const state = question === undefined ? decided?.questionState : questionState;
  const approval = question !== undefined && isApproved(decided) ? { metadata, given } : undefined;
  const hasEarlier = approval !== undefined || inputs.length > 0;
  if (question === undefined && !hasEarlier) return details;
  return Object.freeze({
    ...details,
    ...(question && { question }),
    ...(state && { questionState: state }),
    ...(hasEarlier && { earlier: earlierDecisions(approval, inputs) }),
  });
}

function earlierDecisions(
  approval: EarlierApproval | undefined,
  inputs: readonly JsonValue[],
): EarlierDecisions {
  const { metadata, given } = approval ?? {};
  return Object.freeze({
    ...(approval && { approval: { ...(metadata && { metadata }), ...(given && { given }) } }),
    inputs,
  });
}

/** Returns the details of a call that is requested again after a decision. */
export function redescribe(
  { deferralKind }: DeferredOutcome,
  before: CallDetails | undefined,
): CallDetails | undefined {
  // A call without an earlier request is described when the run collects its pending calls.
  if (before === undefined) return undefined;
  if (deferralKind === 'external') return withArgs(undefined, before.args);
  const { validatedArgs, inputOnly, preview, version } = before;
  const known: CallDetails = {
    ...(validatedArgs !== undefined && { validatedArgs }),
    ...(inputOnly !== undefined && { inputOnly }),
    ...(preview !== undefined && { preview }),
    ...(version !== undefined && { version }),
  };
  return withArgs(Object.freeze(known), before.args);
}

/** The recorded form of the arguments that an approver is shown. */
export type ShownArgs = Pick<CallDetails, 'validatedArgs' | 'inputOnly'>;

/** A validated value that cannot be shown to an approver. */
export interface UnshowableArgs {
  /** The path of the value, such as `args.when`. */
  readonly path: string;
  /** The kind of value, such as `a Date`. */
  readonly what: string;
  /** True if the value is a number that JSON cannot hold: `NaN` or `Infinity`. */
  readonly isNumber: boolean;
}

/** Returns the first value without a JSON form, or `undefined` if the arguments are plain JSON. */
export function unshowableArgs(
  { approversSee }: ToolDefinition,
  args: unknown,
): UnshowableArgs | undefined {
  const found = approversSee === 'input' ? undefined : findUnshowable(args);
  return found && { ...found, path: `args${found.path}` };
}

/** Throws if the arguments that an approver is shown have no JSON form. */
export function requireShowable(definition: ToolDefinition, args: unknown): void {
  const found = unshowableArgs(definition, args);
  if (found !== undefined) throw noJsonForm(definition, found);
}

/** Compares members in their order, because a preview may depend on it. */
function isSameInOrder(one: unknown, sent: JsonValue): boolean {
  if (typeof one !== 'object' || typeof sent !== 'object' || one === null || sent === null) {
    return one === sent;
  }
  if (Array.isArray(one) !== Array.isArray(sent)) return false;
  // The keys of an object are those of its type.
  const keys = Object.keys(one) as (keyof typeof one)[];
  const sentKeys = Object.keys(sent) as (keyof typeof sent)[];
  let index = 0;
  for (const key of keys) {
    // JSON does not hold members that are `undefined`. In a list it holds `null` in their place.
    if (one[key] === undefined && !Array.isArray(one)) continue;
    if (key !== sentKeys[index]) return false;
    if (one[key] !== sent[key] && !isSameInOrder(one[key], sent[key])) return false;
    index += 1;
  }
  return index === sentKeys.length;
}

/** Returns the value that a tool receives for a recorded request, or `undefined` if it was not shown. */
export function recordedArgs(request: CallDetails, sent: JsonObject): JsonValue | undefined {
  return request.inputOnly ? undefined : (request.validatedArgs ?? sent);
}

/** Returns the error for arguments that an approver cannot be shown. */
export function noJsonForm({ name }: ToolDefinition, { path, what }: UnshowableArgs): UserError {
  return new UserError(
    `The validated arguments of tool \`${name}\` contain ${what} at \`${path}\`, which has no JSON form, so an ` +
      "approver cannot be shown the value that would execute. Set `approversSee: 'input'` on the tool to show " +
      'approvers the arguments as sent, or convert the value in `execute`.',
  );
}

/** The path of the result starts at `value`, which is at this depth of the arguments. */
function findUnshowable(value: unknown, depth = 0): UnshowableArgs | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path: '', what: `${value}`, isNumber: true };
    case 'object':
      break;
    default:
      return { path: '', what: `a ${typeof value}`, isNumber: false };
  }
  if (value === null) return undefined;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) {
    return { path: '', what: `a ${value.constructor?.name ?? 'object'}`, isNumber: false };
  }
  if (depth > MAX_DEPTH) return { path: '', what: 'too many levels', isNumber: false };
  if (Object.getOwnPropertySymbols(value).length > 0)
    return { path: '', what: 'a member whose name is a symbol', isNumber: false };
  for (const key of Object.keys(value)) {
    // Plain objects and arrays have string keys.
    const member = (value as Readonly<Record<string, unknown>>)[key];
    const found = typeof member === 'string' ? undefined : findUnshowable(member, depth + 1);
    if (found !== undefined) {
      return { ...found, path: `${isList ? `[${key}]` : `.${key}`}${found.path}` };
    }
  }
  return undefined;
}
