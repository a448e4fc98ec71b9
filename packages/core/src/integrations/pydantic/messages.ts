import { Trail } from '../../messages/codec/index.ts';
import type { Message, ModelRequest, ModelResponse } from '../../messages/message.ts';
import { trust } from '../../messages/trusted-histories.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import { requestPart } from './request-parts.ts';
import { responsePart } from './response-parts.ts';
import { openText, parseText, writeText } from './text.ts';
import { usage } from './usage.ts';
import { freeObject } from './wire/free-json.ts';
import { defaulted, named, nullable, omitted, required } from './wire/object.ts';
import { time } from './wire/time.ts';
import { unionOf, type Variant, variantsBy } from './wire/union.ts';
import { listOf, oneOf, text } from './wire/wire.ts';

const message = variantsBy('kind');

const idFields = {
  runId: nullable(text),
  conversationId: nullable(text),
  metadata: nullable(freeObject),
};

const request = message<ModelRequest>('request', {
  parts: required(listOf(requestPart)),
  timestamp: nullable(time),
  instructions: nullable(text),
  state: defaulted(oneOf('complete', 'interrupted'), 'complete'),
  ...idFields,
});

const response = message<ModelResponse>('response', {
  parts: required(listOf(responsePart)),
  usage: defaulted(usage, usage.dump({}, new Trail())),
  modelName: nullable(text),
  timestamp: omitted(time),
  providerName: nullable(text),
  providerUrl: nullable(text),
  providerDetails: named(nullable(freeObject), 'provider_details', 'vendor_details'),
  providerResponseId: named(nullable(text), 'provider_response_id', 'vendor_id'),
  finishReason: nullable(oneOf('stop', 'length', 'content_filter', 'tool_call', 'error')),
  state: defaulted(oneOf('complete', 'incomplete', 'suspended', 'interrupted'), 'complete'),
  ...idFields,
});

const messages = listOf(unionOf<Message>('kind', { request: timed(request), response }));

/** A message of Pydantic AI, as `ModelMessagesTypeAdapter` dumps it. */
export type PydanticMessage = Readonly<Record<string, unknown>>;

/**
 * Messages that Pydantic AI dumped, as text or parsed: checked, as frozen copies.
 *
 * The first mistake is thrown as an `InvalidJsonError` that names its place in the document.
 */
export function messagesFromPydantic(input: unknown): readonly Message[] {
  const trail = new Trail();
  const document = openText(input, trail);
  return trust(load(document, trail));
}

/**
 * Messages as the document that Pydantic AI loads.
 *
 * Messages that it would not load are refused here, with an `InvalidJsonError`. Integers that a
 * number cannot hold are `bigint`s in it: only {@link stringifyPydanticMessages} writes those.
 */
export function messagesToPydantic(history: readonly Message[]): PydanticMessage[] {
  const trail = new Trail();
  trail.enter('messages');
  const document = messages.dump(history, trail);
  load(document, new Trail());
  // A list of objects, as that has just been loaded from it.
  return document as PydanticMessage[];
}

/** Messages from the JSON text that Pydantic AI dumped; see {@link messagesFromPydantic}. */
export function parsePydanticMessages(json: string): readonly Message[] {
  const trail = new Trail();
  return trust(load(parseText(json, trail), trail));
}

/** Messages as the JSON text that Pydantic AI loads, big integers included. */
export function stringifyPydanticMessages(history: readonly Message[]): string {
  return writeText(messagesToPydantic(history));
}

function load(document: unknown, trail: Trail): readonly Message[] {
  trail.enter('messages');
  return messages.load(document, trail);
}

const UNTIMED: ReadonlySet<RequestPart['kind']> = new Set<RequestPart['kind']>([
  'tool-availability-delta',
  'speech',
]);

/** Where a part does not say when it came to be, it is when its message did. */
function timed(variant: Variant<ModelRequest>): Variant<ModelRequest> {
  return {
    ...variant,
    dump(value, trail) {
      const { timestamp, parts } = value;
      if (timestamp === undefined) return variant.dump(value, trail);
      const stamped = parts.map((part) => (UNTIMED.has(part.kind) ? part : { timestamp, ...part }));
      return variant.dump({ ...value, parts: stamped }, trail);
    },
  };
}
