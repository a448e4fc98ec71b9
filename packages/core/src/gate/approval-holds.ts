import { pathKey } from '../deferred/nested-calls.ts';
import { UserError } from '../errors/user-errors.ts';
import { type CallDetails, NO_DETAILS } from '../messages/call-details.ts';
import type { Approval, CallToVerify } from './approval.ts';
import type { GateCandidate } from './candidate.ts';
import { callDetails, previewOf } from './describe-call.ts';
import { hasDrifted } from './drift.ts';
import { recordedArgs, requireShowable } from './shown-args.ts';
import type { ValidatedArgs } from './validate-args.ts';

/** Returns whether an approved call is what its approver was shown, and every `verifyApproval` of the run accepts it. */
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
  const preview = tool.preview && (await previewOf(candidate, args));
  const now = callDetails(tool, args, sentArgs, preview) ?? NO_DETAILS;
  if (request !== undefined && (await hasDrifted(candidate, { approval, request, now }))) {
    return false;
  }
  return approvalVerifiers.length === 0 || isVerified(candidate, approval, now);
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
    preview: now.preview,
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
