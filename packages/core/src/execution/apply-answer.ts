import type { Answer } from '../deferred/answers.ts';
import { ToolApproved, ToolDenied } from '../deferred/answers.ts';
import { readRetryPrompt, Trail } from '../messages/codec/index.ts';
import type { JsonObject } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ToolReturn } from '../tools/signals.ts';
import type { PlacedCall } from './execute-batch.ts';
import {
  type CallResult,
  outcomeOfThrown,
  outcomeOfValue,
  resultOf,
  toolReturn,
} from './outcome.ts';

/** A call together with somebody's answer to it, ready to be run or to be told to the model. */
export function applyAnswer(
  { call, place }: PlacedCall,
  answer: Answer,
  metadata: JsonObject | undefined,
): PlacedCall {
  if (answer instanceof ToolApproved) {
    return { call, place, approval: { overrideArgs: answer.overrideArgs, metadata } };
  }
  return { call, place, answered: resultOfAnswer(call, answer) };
}

function resultOfAnswer(call: ToolCallPart, answer: Exclude<Answer, ToolApproved>): CallResult {
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
