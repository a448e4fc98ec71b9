import type {
  FinishReason,
  Message,
  ModelRequest,
  ModelResponse,
  RequestUsage,
  SpentUsage,
} from '../message.ts';
import { type Fields, optional } from './field.ts';
import {
  type Format,
  listOf,
  matching,
  numberFormat,
  oneOf,
  recordOf,
  stringFormat,
  timestampFormat,
} from './format.ts';
import { jsonObjectFormat } from './json-format.ts';
import { objectOf, variantOf } from './object-format.ts';
import { requestPartFormat } from './request-part.ts';
import { responsePartFormat } from './response-part.ts';
import { unionOf } from './union-format.ts';

const messageFields = {
  timestamp: optional(timestampFormat),
  runId: optional(stringFormat),
  conversationId: optional(stringFormat),
  metadata: optional(jsonObjectFormat),
};

const usageFields: Fields<RequestUsage> = {
  inputTokens: optional(numberFormat),
  outputTokens: optional(numberFormat),
  cacheReadTokens: optional(numberFormat),
  cacheWriteTokens: optional(numberFormat),
  inputAudioTokens: optional(numberFormat),
  outputAudioTokens: optional(numberFormat),
  cacheAudioReadTokens: optional(numberFormat),
  details: optional(recordOf(numberFormat)),
  cost: optional(matching(/^-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?$/, 'a decimal number as a string')),
};

/** The usage of a run. */
export const spentUsageFormat: Format<SpentUsage> = objectOf<SpentUsage>({
  ...usageFields,
  requests: numberFormat,
  toolCalls: numberFormat,
});

/** One message of a conversation. */
export const messageFormat: Format<Message> = unionOf<Message>({
  request: variantOf<ModelRequest>('request', {
    parts: listOf(requestPartFormat),
    instructions: optional(stringFormat),
    state: optional(oneOf('complete', 'interrupted')),
    ...messageFields,
  }),
  response: variantOf<ModelResponse>('response', {
    parts: listOf(responsePartFormat),
    usage: optional(objectOf<RequestUsage>(usageFields)),
    modelName: optional(stringFormat),
    providerName: optional(stringFormat),
    providerUrl: optional(stringFormat),
    providerResponseId: optional(stringFormat),
    providerDetails: optional(jsonObjectFormat),
    finishReason: optional<FinishReason>(
      oneOf('stop', 'length', 'content_filter', 'tool_call', 'error'),
    ),
    state: optional(oneOf('complete', 'incomplete', 'suspended', 'interrupted')),
    ...messageFields,
  }),
});
