import type { JsonValue, Message, ModelResponse, ToolCallPart } from 'holdpoint';
import type { PendingCallRecord, StepRecord } from 'holdpoint/messages';
import { readStepRecord } from '../../src/messages/step-record.ts';

/** Builds a response with these tool calls. */
export function responseWith(
  toolCalls: readonly Pick<ToolCallPart, 'toolName' | 'toolCallId' | 'args'>[],
  record?: unknown,
): ModelResponse {
  const parts = toolCalls.map((call): ToolCallPart => ({ kind: 'tool-call', ...call }));
  const metadata = record === undefined ? {} : { metadata: { holdpoint: record as JsonValue } };
  return { kind: 'response', parts, ...metadata };
}

/** Builds a history of a prompt and these messages. */
export function historyOf(...messages: readonly Message[]): readonly Message[] {
  return [{ kind: 'request', parts: [{ kind: 'user-prompt', content: 'Go.' }] }, ...messages];
}

/** A complete step record, as plain data. */
export interface PlainRecord extends Omit<StepRecord, 'open'> {
  readonly v: 1;
  readonly open: Readonly<Record<string, PendingCallRecord>>;
  readonly order?: readonly string[];
}

/**
 * Returns the step record of a message. That of a request is raw, because it may depend on earlier
 * ones.
 */
export function recordOf(message: Message | undefined): PlainRecord | undefined {
  if (message?.kind !== 'response')
    return message?.metadata?.['holdpoint'] as PlainRecord | undefined;
  const record = readStepRecord([message]);
  if (record === undefined) return undefined;
  const { open, ...rest } = record;
  const said = Object.entries(rest).filter(([, value]) => value !== undefined);
  // The step is among what is said.
  return { v: 1, ...Object.fromEntries(said), open: Object.fromEntries(open) } as PlainRecord;
}

/** The ids of calls. */
export function idsOf(calls: readonly ToolCallPart[]): readonly string[] {
  return calls.map((call) => call.toolCallId);
}
