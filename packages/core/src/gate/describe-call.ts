import type { CheckedArgs } from '../deferred/requests.ts';
import { UserError } from '../errors/user-errors.ts';
import type { CallDetails, EarlierApproval, EarlierDecisions } from '../messages/call-details.ts';
import { type JsonObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import { type DeferredOutcome, outcomeOfThrown } from '../outcomes/outcome.ts';
import { requireShowable, shownArgs } from './shown-args.ts';
import { type Approval, isApproved } from './approval.ts';
import type { ToolInContext } from './candidate.ts';

/**
 * Describes a call for its approver: the validated arguments, the preview and the tool's version.
 *
 * `sent` are the arguments before validation. Returns `undefined` if there is nothing to add to them.
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
  const { version } = definition;
  const shown = shownArgs(definition, args, sent);
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
  { question }: DeferredOutcome,
  decided: Approval | undefined,
): CallDetails | undefined {
  const { metadata, given, inputs = [] } = decided ?? {};
  const approval = question !== undefined && isApproved(decided) ? { metadata, given } : undefined;
  const hasEarlier = approval !== undefined || inputs.length > 0;
  if (question === undefined && !hasEarlier) return details;
  return Object.freeze({
    ...details,
    ...(question && { question }),
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
