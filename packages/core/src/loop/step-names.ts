import {
  lastResponse,
  type Message,
  type ModelResponse,
  toolCallsOf,
} from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { recordOf } from '../messages/step-record.ts';

/** The position of a call among the calls of a response; -1 if it is not one of them. */
export function indexOfCall(response: ModelResponse | undefined, call: ToolCallPart): number {
  if (response === undefined) return -1;
  const calls = toolCallsOf(response);
  const index = calls.indexOf(call);
  if (index >= 0) return index;
  const { toolCallId, toolName } = call;
  return calls.findIndex((one) => one.toolCallId === toolCallId && one.toolName === toolName);
}

/** Where a step was begun. */
export interface StepPlace {
  /** The run that has named it. */
  readonly runId: string;
  /** How many responses that run had then. */
  readonly runStep: number;
  readonly response: ModelResponse | undefined;
}

/** The name of the step that a response began: the recorded one, or the one that it will have. */
export function nameOfStep(messages: readonly Message[], place: StepPlace): string {
  const { response } = place;
  const isLast = response === lastResponse(messages);
  const known = recordOf(isLast || response === undefined ? messages : [response]);
  if (known !== undefined) return known.step;
  return newStepName(messages, place);
}

/** Returns the name of a step that has none yet. It is unique, whichever ids an application gives to its runs. */
function newStepName(messages: readonly Message[], place: StepPlace): string {
  const { runId = '', conversationId = '' } = place.response ?? {};
  // Its own responses a run has counted itself: a history processor may have dropped some.
  const count = runId === place.runId ? place.runStep : responsesOf(runId, messages);
  return UUID.test(runId) ? `${runId}:${count}` : `${conversationId}:${runId}:${count}`;
}

/** There is one run with such an id; others that an application gives may come again elsewhere. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

function responsesOf(runId: string, messages: readonly Message[]): number {
  return messages.filter(
    (message) => message.kind === 'response' && (message.runId ?? '') === runId,
  ).length;
}
