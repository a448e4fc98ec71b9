import type { ApprovalDecision, ExternalResult } from '../../deferred/decisions.ts';
import { DeferredToolRequests } from '../../deferred/requests.ts';
import { DeferredToolResults } from '../../deferred/results.ts';
import { type Codec, createCodec } from '../../messages/codec/codec.ts';
import { type Field, withDefault } from '../../messages/codec/field.ts';
import { type Format, listOf, recordOf } from '../../messages/codec/format.ts';
import { JsonPath } from '../../messages/codec/json-path.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import { trust } from '../../messages/trusted-histories.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { approvalFormat, callResultFormat } from './answers.ts';
import { messagesFormat } from './messages.ts';
import { objectOf } from './objects.ts';
import { toolCallFormat } from './response-parts.ts';
import { parseText, writeText } from './text.ts';
import { jsonObjectFormat } from './values.ts';

/** A message of Pydantic AI, as `ModelMessagesTypeAdapter` dumps it. */
export type PydanticMessage = Readonly<Record<string, unknown>>;

/** Deferred requests of Pydantic AI, as `DeferredToolRequests` is dumped there. */
export interface PydanticRequests {
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  readonly approvals: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Decisions and results for Pydantic AI, as `DeferredToolResults` is dumped there. */
export interface PydanticResults {
  readonly calls: Readonly<Record<string, unknown>>;
  readonly approvals: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Reads and writes messages as the JSON of Pydantic AI.
 *
 * Messages that Pydantic AI could not load are rejected. An integer that a number cannot represent is a
 * `bigint` in a document: only `parse` and `stringify` keep its digits.
 */
export const pydanticMessageCodec: Codec<readonly Message[], readonly PydanticMessage[]> =
  pydanticCodec({
    format: messagesFormat,
    path: JsonPath.of('messages'),
    fromMembers: trust,
  });

/** Reads and writes deferred tool requests as the JSON of Pydantic AI. */
export const pydanticRequestsCodec: Codec<DeferredToolRequests, PydanticRequests> = pydanticCodec({
  format: objectOf<Requests>({
    calls: withDefault<readonly ToolCallPart[]>(listOf(toolCallFormat), Object.freeze([])),
    approvals: withDefault<readonly ToolCallPart[]>(listOf(toolCallFormat), Object.freeze([])),
    metadata: recordOrNone(jsonObjectFormat),
  }),
  path: JsonPath.root,
  fromMembers: (members) => new DeferredToolRequests(members),
});

/**
 * Reads and writes decisions and results as the JSON of Pydantic AI.
 *
 * An approval is `true` or an object of its kind, not `"yes"`. An object with the kind of a decision or
 * result must be a complete one.
 */
export const pydanticResultsCodec: Codec<DeferredToolResults, PydanticResults> = pydanticCodec({
  format: objectOf<Results>({
    calls: recordOrNone(callResultFormat),
    approvals: recordOrNone(approvalFormat),
    metadata: recordOrNone(jsonObjectFormat),
  }),
  path: JsonPath.root,
  fromMembers: (members) => new DeferredToolResults(members),
});

interface Requests {
  readonly calls: readonly ToolCallPart[];
  readonly approvals: readonly ToolCallPart[];
  readonly metadata: Readonly<Record<string, JsonObject>>;
}

interface Results {
  readonly calls: Readonly<Record<string, ExternalResult>>;
  readonly approvals: Readonly<Record<string, ApprovalDecision>>;
  readonly metadata: Readonly<Record<string, JsonObject>>;
}

function recordOrNone<T>(entry: Format<T>): Field<Readonly<Record<string, T>>> {
  return withDefault(recordOf(entry), Object.freeze<Record<string, T>>({}));
}

interface PydanticCodecOptions<Members, Value extends Members> {
  readonly format: Format<Members>;
  /** The path of the document in errors. */
  readonly path: JsonPath;
  readonly fromMembers: (members: Members) => Value;
}

function pydanticCodec<Members, Value extends Members, Document>({
  format,
  path,
  fromMembers,
}: PydanticCodecOptions<Members, Value>): Codec<Value, Document> {
  return createCodec<Value, Document, undefined>({
    version: undefined,
    read: (document) => fromMembers(format.read(document, path)),
    write(value) {
      const document = format.write(value, path);
      format.read(document, path);
      // It could be read, so it has the shape of the document.
      return document as Document;
    },
    parseText,
    writeText,
  });
}
