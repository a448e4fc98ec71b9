import type { JsonValue, Message, ModelResponse, StepRecord, ToolCallPart } from 'holdpoint';
import { readStepRecord } from '../../src/messages/step-record.ts';

/** A response in a history that somebody made by hand. */
export function responseWith(
  toolCalls: readonly Pick<ToolCallPart, 'toolName' | 'toolCallId' | 'args'>[],
  record?: unknown,
): ModelResponse {
  const parts = toolCalls.map((call): ToolCallPart => ({ kind: 'tool-call', ...call }));
  const metadata = record === undefined ? {} : { metadata: { holdpoint: record as JsonValue } };
  return { kind: 'response', parts, ...metadata };
}

/** A history that starts with a prompt and goes on with these messages. */
export function historyOf(...messages: readonly Message[]): readonly Message[] {
  return [{ kind: 'request', parts: [{ kind: 'user-prompt', content: 'Go.' }] }, ...messages];
}

/** The step record of a message; of a request as it lies there, for it may need earlier ones. */
export function recordOf(message: Message | undefined): StepRecord | undefined {
  if (message?.kind === 'response') return readStepRecord([message]);
  return message?.metadata?.['holdpoint'] as StepRecord | undefined;
}

/** The ids of calls. */
export function idsOf(calls: readonly ToolCallPart[]): readonly string[] {
  return calls.map((call) => call.toolCallId);
}
