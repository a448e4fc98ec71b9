import { pathKey } from '../deferred/nested-calls.ts';
import { UserError } from '../errors/user-errors.ts';
import type { CallToVerify } from './approval.ts';
import type { ApprovedCall } from './drift.ts';
import type { GateCandidate } from './candidate.ts';
import { recordedArgs } from './shown-args.ts';

/** Returns whether every `verifyApproval` of the run accepts an approved call. */
export async function isVerified(
  { scope, request, ctx }: GateCandidate,
  { approval, sentArgs, now }: ApprovedCall,
): Promise<boolean> {
  if (scope.approvalVerifiers.length === 0) return true;
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
