import {
  callApprovalOf,
  type Decision,
  isUndecided,
  ToolApproved,
  ToolDenied,
  type ToolExpired,
  type ToolSuperseded,
} from '../deferred/decisions.ts';
import { resultsForSubAgent } from '../deferred/requests-builder.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { undecidedOutcome, undecidedText } from '../deferred/undecided-text.ts';
import { retryPromptFormat, JsonPath } from '../messages/codec/index.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ToolReturn } from '../tools/signals.ts';
import type { SubAgentDeferral, CallInBatch, DecisionDeferral } from './call-in-batch.ts';
import { subAgentRequests } from '../deferred/sub-agent-run.ts';
import {
  type CallResult,
  outcomeOfThrown,
  outcomeOfValue,
  resultOf,
  toolReturn,
} from '../outcomes/outcome.ts';

/**
 * Returns a call with the decisions or results for it; `undefined` if there are none.
 *
 * `isTrusted`: the recorded request cannot have been changed, because it never left this process or because
 * the ledger confirmed its digest.
 */
export function applyDecisions(
  { call, place }: CallInBatch,
  deferral:
    | Omit<SubAgentDeferral, 'as'>
    | (Pick<DecisionDeferral, 'details'> & { messages?: undefined }),
  results: DeferredToolResults,
  isTrusted: boolean,
): CallInBatch | undefined {
  if (deferral.messages !== undefined) {
    const { messages, approval } = deferral;
    const below = resultsForSubAgent(call, subAgentRequests(call, messages), results);
    if (below.isEmpty) return undefined;
    return { call, place, approval, resumption: { messages, results: below } };
  }
  const answer = results.get(call.toolCallId);
  if (answer === undefined) return undefined;
  if (answer instanceof ToolApproved) {
    const { overrideArgs, shown } = answer;
    const given = callApprovalOf(answer);
    const metadata = results.metadata[call.toolCallId];
    const request = deferral.details;
    const isBound = isTrusted || confirmsDigest(results, call, request);
    return { call, place, approval: { overrideArgs, shown, metadata, given, request, isBound } };
  }
  const { details: approvalRequest } = deferral;
  if (isUndecided(answer)) {
    const as = Object.hasOwn(results.approvals, call.toolCallId) ? 'approval' : 'external';
    const text = undecidedText(answer, {
      kind: as,
      isInDoubt: approvalRequest?.inDoubt !== undefined,
    });
    return {
      call,
      place,
      decided: { part: toolReturn(call, text, undecidedOutcome(answer)) },
      approvalRequest,
    };
  }
  return { call, place, decided: resultOfDecision(call, answer), approvalRequest };
}

/** Returns whether a decision carries the digest of the recorded request. */
function confirmsDigest(
  { digests }: DeferredToolResults,
  { toolCallId }: ToolCallPart,
  request: CallDetails | undefined,
): boolean {
  return request?.digest !== undefined && digests[toolCallId] === request.digest;
}

/** A decision or result that executes nothing. */
type UnexecutedDecision = Exclude<Decision, ToolApproved | ToolExpired | ToolSuperseded>;

function resultOfDecision(call: ToolCallPart, answer: UnexecutedDecision): CallResult {
  if (answer instanceof ToolDenied) return { part: toolReturn(call, answer.message, 'denied') };
  if (answer instanceof ToolReturn) return resultOf(call, outcomeOfValue(answer, call.toolName));
  if (answer instanceof Error) {
    // The other errors are retries and failures.
    return resultOf(call, outcomeOfThrown(answer) as Parameters<typeof resultOf>[1]);
  }
  const { toolName, toolCallId } = call;
  // Validated, like everything from outside that becomes part of the history.
  const prompt = retryPromptFormat.read(
    { ...answer, toolName, toolCallId },
    JsonPath.of(toolCallId),
  );
  return { part: Object.freeze({ ...prompt, toolName, toolCallId }) };
}
