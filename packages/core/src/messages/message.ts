import { itemsOf } from './items-of.ts';
import type { JsonObject } from './json.ts';
import type { RequestPart } from './request-part.ts';
import type { ResponsePart, ToolCallPart } from './response-part.ts';

/** One message of a conversation. Messages are plain, frozen data: `JSON.stringify` stores them. */
export type Message = ModelRequest | ModelResponse;

/** What every message says about itself. */
export interface MessageFields {
  /** When the message came to be, as an ISO 8601 text. */
  readonly timestamp?: string | undefined;
  /** The run that made it. */
  readonly runId?: string | undefined;
  /** The conversation it belongs to. */
  readonly conversationId?: string | undefined;
  /** For the application; the model does not see it. The key `holdpoint` is the framework's. */
  readonly metadata?: JsonObject | undefined;
}

/** What is sent to the model. */
export interface ModelRequest extends MessageFields {
  readonly kind: 'request';
  readonly parts: readonly RequestPart[];
  /** The instructions in force for this request. */
  readonly instructions?: string | undefined;
  /** `interrupted`: the run ended while its tools ran, so some results may be missing. */
  readonly state?: 'complete' | 'interrupted' | undefined;
}

/** What the model answered. */
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
  /** `interrupted`: the run ended while the response was still coming in. */
  readonly state?: 'complete' | 'incomplete' | 'suspended' | 'interrupted' | undefined;
}

/** Why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_call' | 'error';

/** What one request cost, in tokens. A figure that the provider did not give is absent. */
export interface RequestUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly inputAudioTokens?: number | undefined;
  readonly outputAudioTokens?: number | undefined;
  readonly cacheAudioReadTokens?: number | undefined;
  /** Further figures by the provider's own names. */
  readonly details?: Readonly<Record<string, number>> | undefined;
  /** What it cost in money, as a decimal text. */
  readonly cost?: string | undefined;
}

/** Requests, tool calls and tokens that were used, as data. */
export interface SpentUsage extends RequestUsage {
  readonly requests: number;
  readonly toolCalls: number;
}

/** Where the last answer of a model is in a history; -1 if there is none. */
export function lastResponseIndex(messages: readonly Message[]): number {
  let index = messages.length - 1;
  // By hand: `findLastIndex` takes five times as long on a list that is frozen.
  while (index >= 0 && messages[index]!.kind !== 'response') index -= 1;
  return index;
}

/** The last answer of a model in a history. */
export function lastResponse(messages: readonly Message[]): ModelResponse | undefined {
  // What is found is a response.
  return messages[lastResponseIndex(messages)] as ModelResponse | undefined;
}

/** The tool calls of a response, in order. */
export function toolCallsOf(response: ModelResponse): ToolCallPart[] {
  const parts = itemsOf(response.parts);
  // Most often there is nothing else.
  return parts.every(isToolCall) ? parts : parts.filter(isToolCall);
}

function isToolCall(part: ResponsePart): part is ToolCallPart {
  return part.kind === 'tool-call';
}

/** The text of a response; parts are joined as they are. */
export function textOf(response: ModelResponse): string {
  let text = '';
  for (const part of itemsOf(response.parts)) if (part.kind === 'text') text += part.content;
  return text;
}

/** Those of the calls whose id is also that of another call of the response that they are from. */
export function callsThatShareIds(
  calls: readonly ToolCallPart[],
  all: readonly ToolCallPart[],
): ToolCallPart[] {
  if (haveOwnIds(all)) return [];
  const times = new Map<string, number>();
  for (const { toolCallId } of all) times.set(toolCallId, (times.get(toolCallId) ?? 0) + 1);
  return calls.filter(({ toolCallId }) => times.get(toolCallId) !== 1);
}

/** Up to so many ids are compared with each other: for five it takes a third of what a set takes. */
const FEW = 16;

/** Whether each of the calls has an id of its own. */
export function haveOwnIds(calls: readonly ToolCallPart[]): boolean {
  if (calls.length > FEW) {
    const ids = new Set<string>();
    for (const { toolCallId } of calls) ids.add(toolCallId);
    return ids.size === calls.length;
  }
  for (let index = 1; index < calls.length; index++) {
    for (let other = 0; other < index; other++) {
      if (calls[index]!.toolCallId === calls[other]!.toolCallId) return false;
    }
  }
  return true;
}
