import type { ApprovalDecision, ExternalResult } from '../../deferred/decisions.ts';
import { DeferredToolRequests } from '../../deferred/requests.ts';
import { DeferredToolResults } from '../../deferred/results.ts';
import { type Codec, createCodec, parseJson } from '../../messages/codec/codec.ts';
import { type Field, withDefault } from '../../messages/codec/field.ts';
import { type Format, listOf, recordOf } from '../../messages/codec/format.ts';
import { JsonPath } from '../../messages/codec/json-path.ts';
import type { JsonObject } from '../../internal/json.ts';
import { type Message, trust } from '../../messages/message.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { pydanticApprovalFormat, pydanticCallResultFormat } from './results.ts';
import { messagesFormat } from './messages.ts';
import { pydanticToolCallFormat } from './parts.ts';
import { pydanticJsonObjectFormat, pydanticObjectOf } from './values.ts';

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
  format: pydanticObjectOf<RequestsMembers>({
    calls: withDefault<readonly ToolCallPart[]>(listOf(pydanticToolCallFormat), Object.freeze([])),
    approvals: withDefault<readonly ToolCallPart[]>(
      listOf(pydanticToolCallFormat),
      Object.freeze([]),
    ),
    metadata: recordOrEmpty(pydanticJsonObjectFormat),
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
  format: pydanticObjectOf<PydanticResultsMembers>({
    calls: recordOrEmpty(pydanticCallResultFormat),
    approvals: recordOrEmpty(pydanticApprovalFormat),
    metadata: recordOrEmpty(pydanticJsonObjectFormat),
  }),
  path: JsonPath.root,
  fromMembers: (members) => new DeferredToolResults(members),
});

interface RequestsMembers {
  readonly calls: readonly ToolCallPart[];
  readonly approvals: readonly ToolCallPart[];
  readonly metadata: Readonly<Record<string, JsonObject>>;
}

interface PydanticResultsMembers {
  readonly calls: Readonly<Record<string, ExternalResult>>;
  readonly approvals: Readonly<Record<string, ApprovalDecision>>;
  readonly metadata: Readonly<Record<string, JsonObject>>;
}

function recordOrEmpty<T>(entry: Format<T>): Field<Readonly<Record<string, T>>> {
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
    parseText: parsePydanticText,
    writeText: writePydanticText,
  });
}

/** Parses JSON text. An integer that a number cannot represent becomes a `bigint`. */
function parsePydanticText(text: string): unknown {
  return parseJson(text, HAS_LONG_NUMBER.test(text) ? reviveInteger : undefined);
}

/** Shorter integers are exact as numbers, and few texts have longer ones. */
const HAS_LONG_NUMBER = /\d{16}/;

/** The third argument of a reviver, which not all runtimes pass. */
interface ReviverContext {
  readonly source?: string;
}

function reviveInteger(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  if (source === undefined) {
    if (!Number.isInteger(value)) return value;
    return JsonPath.root.fail(
      'Expected integers that a number can represent: this JavaScript runtime cannot read larger ones.',
    );
  }
  const isExact = !/^-?\d+$/.test(source) || String(value) === source;
  return isExact ? value : BigInt(source);
}

/** Writes JSON text. A `bigint` becomes an integer. */
function writePydanticText(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return Object.is(value, -0) ? '-0.0' : JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value)
        ? `[${value.map(writePydanticText).join(',')}]`
        : `{${Object.entries(value).flatMap(writePydanticMember).join(',')}}`;
    default:
      return JSON.stringify(value);
  }
}

function writePydanticMember([name, value]: [string, unknown]): string[] {
  return value === undefined ? [] : [`${JSON.stringify(name)}:${writePydanticText(value)}`];
}
