import { type Fields, named, nullable, optional, optionalAs } from '../../messages/codec/field.ts';
import { type Format, listOf, oneOf, recordOf, stringFormat } from '../../messages/codec/format.ts';
import { defineOwn, isPlainObject } from '../../internal/json.ts';
import { JsonPath } from '../../messages/codec/json-path.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
import type {
  FinishReason,
  Message,
  ModelRequest,
  ModelResponse,
  RequestUsage,
} from '../../messages/message.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import { pydanticRequestPartFormat, pydanticResponsePartFormat } from './parts.ts';
import {
  decimalFormat,
  integerFormat,
  pydanticJsonFormat,
  pydanticJsonObjectFormat,
  pydanticObjectOf,
  snakeCase,
  timeFormat,
  variantsBy,
} from './values.ts';

const tokenCount = optionalAs(integerFormat, 0);

const pydanticUsageFields: Fields<RequestUsage> = {
  inputTokens: tokenCount,
  cacheWriteTokens: tokenCount,
  cacheReadTokens: tokenCount,
  outputTokens: tokenCount,
  inputAudioTokens: tokenCount,
  cacheAudioReadTokens: tokenCount,
  outputAudioTokens: tokenCount,
  details: { ...optionalAs(recordOf(integerFormat), {}), ifNull: 'missing' },
  cost: nullable(decimalFormat),
};

const knownUsageFormat = pydanticObjectOf<RequestUsage>(pydanticUsageFields);

/** The names of older documents, where null means that the tokens were not counted. */
const legacyUsageFormat = pydanticObjectOf<Pick<RequestUsage, 'inputTokens' | 'outputTokens'>>({
  inputTokens: named(nullable(integerFormat), 'request_tokens'),
  outputTokens: named(nullable(integerFormat), 'response_tokens'),
});

/** Members that have a field, and members of older documents that Pydantic AI drops. */
const KNOWN_USAGE_MEMBERS: ReadonlySet<string> = new Set([
  ...Object.keys(pydanticUsageFields),
  ...Object.keys(pydanticUsageFields).map(snakeCase),
  'request_tokens',
  'response_tokens',
  'requests',
  'total_tokens',
]);

/** The usage of one request. Keeps unknown members under their names, like Pydantic AI. */
const usageFormat: Format<RequestUsage> = {
  read(value, path) {
    const known = knownUsageFormat.read(value, path);
    const usage: Record<string, unknown> = { ...legacyUsageFormat.read(value, path), ...known };
    for (const [name, member] of unknownUsageMembers(value)) {
      defineOwn(usage, name, pydanticJsonFormat.read(member, path.at(name)));
    }
    return Object.freeze(usage);
  },
  write(usage, path) {
    const document: Record<string, unknown> = {
      ...(knownUsageFormat.write(usage, path) as object),
    };
    for (const [name, member] of unknownUsageMembers(usage)) defineOwn(document, name, member);
    return Object.freeze(document);
  },
};

function unknownUsageMembers(value: unknown): [name: string, member: unknown][] {
  if (!isPlainObject(value)) return [];
  return Object.entries(value).filter(([name]) => !KNOWN_USAGE_MEMBERS.has(name));
}

const message = variantsBy('kind');

const idFields = {
  runId: nullable(stringFormat),
  conversationId: nullable(stringFormat),
  metadata: nullable(pydanticJsonObjectFormat),
};

const requestFormat = message<ModelRequest>('request', {
  parts: listOf(pydanticRequestPartFormat),
  timestamp: nullable(timeFormat),
  instructions: nullable(stringFormat),
  state: optionalAs(oneOf('complete', 'interrupted'), 'complete'),
  ...idFields,
});

const responseFormat = message<ModelResponse>('response', {
  parts: listOf(pydanticResponsePartFormat),
  usage: optionalAs(usageFormat, usageFormat.write({}, JsonPath.root)),
  modelName: nullable(stringFormat),
  timestamp: optional(timeFormat),
  providerName: nullable(stringFormat),
  providerUrl: nullable(stringFormat),
  providerDetails: named(nullable(pydanticJsonObjectFormat), 'provider_details', 'vendor_details'),
  providerResponseId: named(nullable(stringFormat), 'provider_response_id', 'vendor_id'),
  finishReason: nullable<FinishReason>(
    oneOf('stop', 'length', 'content_filter', 'tool_call', 'error'),
  ),
  state: optionalAs(oneOf('complete', 'incomplete', 'suspended', 'interrupted'), 'complete'),
  ...idFields,
});

/** The messages of a conversation. */
export const messagesFormat: Format<readonly Message[]> = listOf(
  unionOf<Message>({ request: withTimestamps(requestFormat), response: responseFormat }),
);

const WITHOUT_TIMESTAMP: ReadonlySet<RequestPart['kind']> = new Set<RequestPart['kind']>([
  'tool-availability-delta',
  'speech',
]);

/** Writes the timestamp of a request for each part that has none. */
function withTimestamps(format: Format<ModelRequest>): Format<ModelRequest> {
  return {
    read: format.read,
    write(request, path) {
      const { timestamp, parts } = request;
      if (timestamp === undefined || !Array.isArray(parts)) return format.write(request, path);
      const stamped = parts.map((part: RequestPart) =>
        WITHOUT_TIMESTAMP.has(part.kind) ? part : { timestamp, ...part },
      );
      return format.write({ ...request, parts: stamped }, path);
    },
  };
}
