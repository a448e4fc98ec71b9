import { DeferredToolRequests } from '../../deferred/requests.ts';
import { Trail } from '../../messages/codec/index.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { toolCall } from './response-parts.ts';
import { openText, parseText, writeText } from './text.ts';
import { freeObject } from './wire/free-json.ts';
import { filled, objectOf, recordOf } from './wire/object.ts';
import { listOf, type Wire } from './wire/wire.ts';

const callList = filled<readonly ToolCallPart[]>(listOf(toolCall), () => []);

const requests: Wire<{
  readonly calls: readonly ToolCallPart[];
  readonly approvals: readonly ToolCallPart[];
  readonly metadata: Readonly<Record<string, JsonObject>>;
}> = objectOf({
  calls: callList,
  approvals: callList,
  metadata: filled(recordOf(freeObject), () => ({})),
});

/** Deferred requests of Pydantic AI, as `DeferredToolRequests` is dumped there. */
export interface PydanticRequests {
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  readonly approvals: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The deferred requests that Pydantic AI dumped, as text or parsed.
 *
 * The first mistake is thrown as an `InvalidJsonError` that names its place in the document.
 */
export function requestsFromPydantic(input: unknown): DeferredToolRequests {
  const trail = new Trail();
  return new DeferredToolRequests(requests.load(openText(input, trail), trail));
}

/** Deferred requests as the document that Pydantic AI loads. */
export function requestsToPydantic(open: DeferredToolRequests): PydanticRequests {
  const document = requests.dump(open, new Trail());
  requests.load(document, new Trail());
  // As that has just been loaded from it.
  return document as PydanticRequests;
}

/** Deferred requests from the JSON text that Pydantic AI dumped; see {@link requestsFromPydantic}. */
export function parsePydanticRequests(json: string): DeferredToolRequests {
  const trail = new Trail();
  return new DeferredToolRequests(requests.load(parseText(json, trail), trail));
}

/** Deferred requests as the JSON text that Pydantic AI loads, big integers included. */
export function stringifyPydanticRequests(open: DeferredToolRequests): string {
  return writeText(requestsToPydantic(open));
}
