import type { Decision } from '../deferred/answers.ts';
import {
  approvalOf,
  isUndecided,
  ToolApproved,
  ToolDenied,
  type ToolExpired,
  type ToolSuperseded,
} from '../deferred/answers.ts';
import { answersBelow } from '../deferred/requests-builder.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { undecidedOutcome, undecidedText } from '../deferred/unanswered-text.ts';
import { readRetryPrompt, Trail } from '../messages/codec/index.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ToolReturn } from '../tools/signals.ts';
import type { AgentDeferral, PlacedCall, WaitingDeferral } from './placed-call.ts';
import { requestsBelow } from './sub-run.ts';
import {
  type CallResult,
  outcomeOfThrown,
  outcomeOfValue,
  resultOf,
  toolReturn,
} from './outcome.ts';

/**
 * A call together with the answers to it, ready to be run or to be told to the model; `undefined` if
 * there are none.
 *
 * `isTrusted`: the recorded request cannot have been changed, because it never left this process or because
 * the ledger confirmed its digest.
 */
export function applyAnswers(
  { call, place }: PlacedCall,
  deferral:
    | Omit<AgentDeferral, 'as'>
    | (Pick<WaitingDeferral, 'details'> & { messages?: undefined }),
  results: DeferredToolResults,
  isTrusted: boolean,
): PlacedCall | undefined {
  if (deferral.messages !== undefined) {
    const { messages, approval } = deferral;
    const below = answersBelow(call, requestsBelow(call, messages), results);
    if (below.isEmpty) return undefined;
    return { call, place, approval, resumption: { messages, results: below } };
  }
  const answer = results.answerTo(call.toolCallId);
  if (answer === undefined) return undefined;
  if (answer instanceof ToolApproved) {
    const { overrideArgs, shown } = answer;
    const given = approvalOf(answer);
    const metadata = results.metadata[call.toolCallId];
    const asked = deferral.details;
    const isBound = isTrusted || confirmsDigest(results, call, asked);
    return { call, place, approval: { overrideArgs, shown, metadata, given, asked, isBound } };
  }
  const { details: asked } = deferral;
  if (isUndecided(answer)) {
    const as = Object.hasOwn(results.approvals, call.toolCallId) ? 'approval' : 'external';
    const text = undecidedText(answer, { as, isInDoubt: asked?.inDoubt !== undefined });
    const part = toolReturn(call, text, undecidedOutcome(answer));
    return { call, place, answered: { part }, asked };
  }
  return { call, place, answered: resultOfAnswer(call, answer), asked };
}

/** Returns whether a decision carries the digest of the recorded request. */
function confirmsDigest(
  { digests }: DeferredToolResults,
  { toolCallId }: ToolCallPart,
  request: CallDetails | undefined,
): boolean {
  return request?.digest !== undefined && digests[toolCallId] === request.digest;
}

/** An answer that runs nothing. */
type GivenAnswer = Exclude<Decision, ToolApproved | ToolExpired | ToolSuperseded>;

function resultOfAnswer(call: ToolCallPart, answer: GivenAnswer): CallResult {
  if (answer instanceof ToolDenied) return { part: toolReturn(call, answer.message, 'denied') };
  if (answer instanceof ToolReturn) return resultOf(call, outcomeOfValue(answer, call.toolName));
  if (answer instanceof Error) {
    // The other answers are retries and failures.
    return resultOf(call, outcomeOfThrown(answer) as Parameters<typeof resultOf>[1]);
  }
  const { toolName, toolCallId } = call;
  // Checked, like everything from outside that goes into the history.
  const prompt = readRetryPrompt({ ...answer, toolName, toolCallId }, Trail.at(toolCallId));
  return { part: Object.freeze({ ...prompt, toolName, toolCallId }) };
}
