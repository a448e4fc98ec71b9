import {
  lastResponse,
  type Message,
  type ModelResponse,
  toolCallsOf,
} from '../../messages/message.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { stepRecordOf } from '../../messages/step-record.ts';

/** Returns the index of a call among the calls of a response; -1 if it is not one of them. */
export function indexOfCall(response: ModelResponse | undefined, call: ToolCallPart): number {
  if (response === undefined) return -1;
  const calls = toolCallsOf(response);
  const index = calls.indexOf(call);
  if (index >= 0) return index;
  const { toolCallId, toolName } = call;
  return calls.findIndex((one) => one.toolCallId === toolCallId && one.toolName === toolName);
}

/** The response that began a step, and the run that executes it. */
export interface StepOrigin {
  /** The run that names the step. */
  readonly runId: string;
  /** The number of responses of that run at that time. */
  readonly runStep: number;
  readonly response: ModelResponse | undefined;
}

/** Returns the name of the step that a response began: the recorded name, or the one that will be recorded. */
export function stepNameOf(messages: readonly Message[], origin: StepOrigin): string {
  const { response } = origin;
  const isLast = response === lastResponse(messages);
  const known = stepRecordOf(isLast || response === undefined ? messages : [response]);
  return known?.step ?? newStepName(messages, origin);
}

/** Returns the name of a step without a record: the run and its number in that run. */
function newStepName(messages: readonly Message[], { response, ...origin }: StepOrigin): string {
  const { runId = '', conversationId = '' } = response ?? {};
  // A run counts its own responses: a history processor may have dropped some.
  const count = runId === origin.runId ? origin.runStep : responsesOf(runId, messages);
  return UUID.test(runId) ? `${runId}:${count}` : `${conversationId}:${runId}:${count}`;
}

/** A UUID is unique. Other ids come from the application, and may be unique only in their conversation. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

function responsesOf(runId: string, messages: readonly Message[]): number {
  return messages.filter(
    (message) => message.kind === 'response' && (message.runId ?? '') === runId,
  ).length;
}
