import {
  type Decision,
  ToolApproved,
  ToolDenied,
  type ToolExpired,
  ToolInput,
  type ToolSuperseded,
  callApprovalOf,
  isUndecided,
  undecidedOutcome,
  undecidedText,
} from '../deferred/decisions.ts';
import { resultsForSubAgent } from '../deferred/requests-builder.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { retryPromptFormat, JsonPath } from '../messages/codec/index.ts';
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
 * Returns a call with its decision or result, or `undefined` without one.
 *
 * `isTrusted` states that the recorded request is unchanged, because it never left this process or
 * because the ledger confirmed its digest.
 */
export function applyDecisions(
  { call, index }: CallInBatch,
  deferral:
    | Omit<SubAgentDeferral, 'kind'>
    | (Pick<DecisionDeferral, 'details'> & { messages?: undefined }),
  results: DeferredToolResults,
  isTrusted: boolean,
): CallInBatch | undefined {
  if (deferral.messages !== undefined) {
    const { messages, approval } = deferral;
    const nested = resultsForSubAgent(call, subAgentRequests(call, messages), results);
    if (nested.isEmpty) return undefined;
    return { call, index, approval, resumption: { messages, results: nested } };
  }
  const decision = results.get(call.toolCallId);
  if (decision === undefined) return undefined;
  const { details: request } = deferral;
  if (decision instanceof ToolApproved) {
    const { overrideArgs, shown } = decision;
    const given = callApprovalOf(decision);
    const metadata = results.metadata[call.toolCallId];
    const digest = results.digests[call.toolCallId];
    const isBound = isTrusted || (digest !== undefined && digest === request?.digest);
    const inputs = request?.earlier?.inputs;
    const { questionState } = request ?? {};
    const approval = {
      overrideArgs,
      shown,
      metadata,
      given,
      request,
      isBound,
      inputs,
      questionState,
    };
    return { call, index, approval };
  }
  if (decision instanceof ToolInput) {
    const { approval: earlier, inputs = [] } = request?.earlier ?? {};
    const digest = results.digests[call.toolCallId];
    const approval = {
      metadata: results.metadata[call.toolCallId] ?? earlier?.metadata,
      given: earlier?.given,
      request,
      isBound: isTrusted || (digest !== undefined && digest === request?.digest),
      inputs: [...inputs, decision.value],
      questionState: request?.questionState,
      isApproved: earlier !== undefined,
    };
    return { call, index, approval };
  }
  if (isUndecided(decision)) {
    const kind = Object.hasOwn(results.approvals, call.toolCallId) ? 'approval' : 'external';
    const text = undecidedText(decision, { kind, isInDoubt: request?.inDoubt !== undefined });
    const decided = { part: toolReturn(call, text, undecidedOutcome(decision)) };
    return { call, index, decided, approvalRequest: request };
  }
  return { call, index, decided: resultOfDecision(call, decision), approvalRequest: request };
}

/** A decision or result that executes nothing. */
type UnexecutedDecision = Exclude<
  Decision,
  ToolApproved | ToolInput | ToolExpired | ToolSuperseded
>;

function resultOfDecision(call: ToolCallPart, decision: UnexecutedDecision): CallResult {
  if (decision instanceof ToolDenied) return { part: toolReturn(call, decision.message, 'denied') };
  if (decision instanceof ToolReturn)
    return resultOf(call, outcomeOfValue(decision, call.toolName));
  if (decision instanceof Error) {
    // The other errors are retries and failures.
    return resultOf(call, outcomeOfThrown(decision) as Parameters<typeof resultOf>[1]);
  }
  const { toolName, toolCallId } = call;
  // Validated, like everything from outside that becomes part of the history.
  const prompt = retryPromptFormat.read(
    { ...decision, toolName, toolCallId },
    JsonPath.of(toolCallId),
  );
  return { part: Object.freeze({ ...prompt, toolName, toolCallId }) };
}
