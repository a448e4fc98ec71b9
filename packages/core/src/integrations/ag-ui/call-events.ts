import type { ToolResultPart } from '../../messages/request-part.ts';
import type { NativeToolReturnPart } from '../../messages/response-part.ts';
import { outcomeOf } from '../front-end/call-values.ts';
import type { AgUiToolCallEvent } from './ag-ui-event.ts';
import type { AgUiAttribution, AgUiToolMessage } from './ag-ui-message.ts';

/** A call as a client shows it. */
interface ShownCall extends AgUiAttribution {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly parentMessageId?: string;
}

/** Returns the events of a call that did not stream. */
export function wholeCallEvents(call: ShownCall): (AgUiToolCallEvent & AgUiAttribution)[] {
  const { toolCallId, toolName, args, parentMessageId, subagentRunId } = call;
  const tag = subagentRunId !== undefined && { subagentRunId };
  const parent = parentMessageId !== undefined && { parentMessageId };
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: toolName, ...parent, ...tag },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: callArgsText(args), ...tag },
    { type: 'TOOL_CALL_END', toolCallId, ...tag },
  ];
}

/** Returns arguments as text: JSON, or the text that the model sent. */
export function callArgsText(args: unknown): string {
  return typeof args === 'string' && args !== '' ? args : JSON.stringify(args || {});
}

/** Returns the result of a call as a message. */
export function resultMessage(
  toolCallId: string,
  part: ToolResultPart | NativeToolReturnPart,
): AgUiToolMessage {
  const outcome = outcomeOf(part);
  const message = { id: resultId(toolCallId), role: 'tool', toolCallId } as const;
  switch (outcome.kind) {
    case 'output':
      return { ...message, content: resultText(outcome.output) };
    case 'error':
      return { ...message, content: outcome.errorText, error: outcome.errorText };
    case 'denied':
      return { ...message, content: outcome.reason, error: outcome.reason };
  }
}

/** Returns the result of a call as an event. */
export function resultEvent(
  toolCallId: string,
  part: ToolResultPart | NativeToolReturnPart,
  tag: AgUiAttribution = {},
): AgUiToolCallEvent & AgUiAttribution {
  const { id: messageId, role, content } = resultMessage(toolCallId, part);
  const outcome = part.kind === 'retry-prompt' ? 'retry' : part.outcome;
  const metadata = outcome !== 'success' && { metadata: { holdpoint: { outcome } } };
  return { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role, ...metadata, ...tag };
}

/** Returns the id of the message with the result of a call. */
export function resultId(toolCallId: string): string {
  return `result:${toolCallId}`;
}

function resultText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
