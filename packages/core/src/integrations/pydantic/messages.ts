import { named, nullable, optional, optionalAs } from '../../messages/codec/field.ts';
import { type Format, listOf, oneOf, stringFormat } from '../../messages/codec/format.ts';
import { JsonPath } from '../../messages/codec/json-path.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
import type { FinishReason, Message, ModelRequest, ModelResponse } from '../../messages/message.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import { variantsBy } from './objects.ts';
import { requestPartFormat } from './request-parts.ts';
import { responsePartFormat } from './response-parts.ts';
import { timeFormat } from './time.ts';
import { usageFormat } from './usage.ts';
import { jsonObjectFormat } from './values.ts';

const message = variantsBy('kind');

const idFields = {
  runId: nullable(stringFormat),
  conversationId: nullable(stringFormat),
  metadata: nullable(jsonObjectFormat),
};

const requestFormat = message<ModelRequest>('request', {
  parts: listOf(requestPartFormat),
  timestamp: nullable(timeFormat),
  instructions: nullable(stringFormat),
  state: optionalAs(oneOf('complete', 'interrupted'), 'complete'),
  ...idFields,
});

const responseFormat = message<ModelResponse>('response', {
  parts: listOf(responsePartFormat),
  usage: optionalAs(usageFormat, usageFormat.write({}, JsonPath.root)),
  modelName: nullable(stringFormat),
  timestamp: optional(timeFormat),
  providerName: nullable(stringFormat),
  providerUrl: nullable(stringFormat),
  providerDetails: named(nullable(jsonObjectFormat), 'provider_details', 'vendor_details'),
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
