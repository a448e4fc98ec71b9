import type {
  FinishReason,
  Message,
  ModelRequest,
  ModelResponse,
  RequestUsage,
  SpentUsage,
} from '../message.ts';
import {
  byKind,
  listOf,
  matching,
  oneOf,
  type Read,
  readNumber,
  readString,
  readTimestamp,
} from './read.ts';
import { readJsonObject } from './read-json.ts';
import { type Fields, objectOf, ofKind, optional } from './read-object.ts';
import { readRequestPart } from './read-request-part.ts';
import { readResponsePart } from './read-response-part.ts';
import type { Trail } from './trail.ts';

const messageFields = {
  timestamp: optional(readTimestamp),
  runId: optional(readString),
  conversationId: optional(readString),
  metadata: optional(readJsonObject),
};

const usageFields: Fields<RequestUsage> = {
  inputTokens: optional(readNumber),
  outputTokens: optional(readNumber),
  cacheReadTokens: optional(readNumber),
  cacheWriteTokens: optional(readNumber),
  inputAudioTokens: optional(readNumber),
  outputAudioTokens: optional(readNumber),
  cacheAudioReadTokens: optional(readNumber),
  details: optional(readFigures),
  cost: optional(matching(/^-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?$/, 'a decimal number as a string')),
};

const readRequestUsage = objectOf<RequestUsage>(usageFields);

/** Reads what a run has used. */
export const readSpentUsage: Read<SpentUsage> = objectOf<SpentUsage>({
  ...usageFields,
  requests: readNumber,
  toolCalls: readNumber,
});

/** Reads one message of a conversation. */
export const readMessage: Read<Message> = byKind<Message>({
  request: ofKind<ModelRequest>('request', {
    parts: listOf(readRequestPart),
    instructions: optional(readString),
    state: optional(
      oneOf<NonNullable<ModelRequest['state']>>({ complete: true, interrupted: true }),
    ),
    ...messageFields,
  }),
  response: ofKind<ModelResponse>('response', {
    parts: listOf(readResponsePart),
    usage: optional(readRequestUsage),
    modelName: optional(readString),
    providerName: optional(readString),
    providerUrl: optional(readString),
    providerResponseId: optional(readString),
    providerDetails: optional(readJsonObject),
    finishReason: optional(
      oneOf<FinishReason>({
        stop: true,
        length: true,
        content_filter: true,
        tool_call: true,
        error: true,
      }),
    ),
    state: optional(
      oneOf<NonNullable<ModelResponse['state']>>({
        complete: true,
        incomplete: true,
        suspended: true,
        interrupted: true,
      }),
    ),
    ...messageFields,
  }),
});

function readFigures(value: unknown, trail: Trail): Readonly<Record<string, number>> {
  const figures = readJsonObject(value, trail);
  for (const [name, figure] of Object.entries(figures)) {
    if (typeof figure === 'number') continue;
    trail.enter(name);
    trail.mismatch('a finite number', figure);
  }
  return figures as Readonly<Record<string, number>>;
}
