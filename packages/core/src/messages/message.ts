import type { JsonObject } from '../internal/json.ts';
import type { RequestPart } from './request-part.ts';
import type { ResponsePart, ToolCallPart } from './response-part.ts';

/** One message of a conversation. Messages are plain, frozen data: `JSON.stringify` stores them. */
export type Message = ModelRequest | ModelResponse;

/** The fields of every message. */
export interface MessageFields {
  /** The time of creation, in ISO 8601 format. */
  readonly timestamp?: string | undefined;
  /** The run that made it. */
  readonly runId?: string | undefined;
  /** The conversation it belongs to. */
  readonly conversationId?: string | undefined;
  /** Data of the application; the model does not see it. The key `holdpoint` is reserved. */
  readonly metadata?: JsonObject | undefined;
}

/** A message to the model. */
export interface ModelRequest extends MessageFields {
  readonly kind: 'request';
  readonly parts: readonly RequestPart[];
  /** The instructions in force for this request. */
  readonly instructions?: string | undefined;
  /** `interrupted`: the run ended while its tools ran, so some results may be missing. */
  readonly state?: 'complete' | 'interrupted' | undefined;
}

/** A message from the model. */
export interface ModelResponse extends MessageFields {
  readonly kind: 'response';
  readonly parts: readonly ResponsePart[];
  readonly usage?: RequestUsage | undefined;
  readonly modelName?: string | undefined;
  readonly providerName?: string | undefined;
  readonly providerUrl?: string | undefined;
  /** The id that the provider gave this response. */
  readonly providerResponseId?: string | undefined;
  readonly providerDetails?: JsonObject | undefined;
  readonly finishReason?: FinishReason | undefined;
  /** `interrupted`: the run ended before the response was complete. */
  readonly state?: 'complete' | 'incomplete' | 'suspended' | 'interrupted' | undefined;
}

/** The reason why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_call' | 'error';

/** The tokens that one request used. A figure that the provider did not report is absent. */
export interface RequestUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly inputAudioTokens?: number | undefined;
  readonly outputAudioTokens?: number | undefined;
  readonly cacheAudioReadTokens?: number | undefined;
  /** Further figures, by the names of the provider. */
  readonly details?: Readonly<Record<string, number>> | undefined;
  /** The cost in money, as a decimal number in text form. */
  readonly cost?: string | undefined;
}

/** Requests, tool calls and tokens that were used, as data. */
export interface SpentUsage extends RequestUsage {
  readonly requests: number;
  readonly toolCalls: number;
}

/** Returns the index of the last response in a history; -1 if there is none. */
export function lastResponseIndex(messages: readonly Message[]): number {
  return messages.findLastIndex(({ kind }) => kind === 'response');
}

/** Returns the last response in a history. */
export function lastResponse(messages: readonly Message[]): ModelResponse | undefined {
  return messages.findLast((message) => message.kind === 'response');
}

/** Returns the tool calls of a response, in order. */
export function toolCallsOf(response: ModelResponse): ToolCallPart[] {
  const calls: ToolCallPart[] = [];
  for (const part of response.parts) if (part.kind === 'tool-call') calls.push(part);
  return calls;
}

/** Returns the text of a response: its text parts, joined without a separator. */
export function textOf(response: ModelResponse): string {
  let text = '';
  for (const part of response.parts) if (part.kind === 'text') text += part.content;
  return text;
}

/** Returns those of `calls` whose id is also that of another call in `all`. */
export function callsWithDuplicateIds(
  calls: readonly ToolCallPart[],
  all: readonly ToolCallPart[],
): ToolCallPart[] {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { toolCallId } of all) (seen.has(toolCallId) ? duplicates : seen).add(toolCallId);
  if (duplicates.size === 0) return [];
  return calls.filter(({ toolCallId }) => duplicates.has(toolCallId));
}

/** Histories that Holdpoint validated and froze. */
const trustedHistories = new WeakSet<readonly Message[]>();

/** Freezes a list of frozen, validated messages, and marks it as trusted: it is not validated again. */
export function trust(messages: readonly Message[]): readonly Message[] {
  const frozen = Object.freeze(messages);
  trustedHistories.add(frozen);
  return frozen;
}

/** Returns whether a list of messages was validated and frozen by Holdpoint. */
export function isTrusted(messages: readonly Message[]): boolean {
  return trustedHistories.has(messages);
}
