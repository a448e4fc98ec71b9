import { type CallDetails, callDetailsFormat } from '../../messages/call-details.ts';
import { createCodec } from '../../messages/codec/codec.ts';
import type { DocumentHeader } from '../../messages/codec/document.ts';
import { optional, withDefault } from '../../messages/codec/field.ts';
import { byIdOf } from '../../messages/codec/format.ts';
import {
  type Codec,
  jsonObjectFormat,
  JsonPath,
  listOf,
  objectOf,
  openDocument,
  stringFormat,
  toolCallFormat,
} from '../../messages/codec/index.ts';
import { quote } from '../../messages/codec/json-path.ts';
import { translatedObjectOf } from '../../messages/codec/object-format.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { AgentCall, NestedPath } from '../nested-calls.ts';
import { DeferredToolRequests } from '../requests.ts';
import type { RecordByKey } from '../results.ts';

const REQUESTS_HEADER = { holdpoint: 'requests', version: 1 } as const;

/** Deferred calls as a document that names its format and version. */
export interface RequestsDocument extends DocumentHeader<'requests'>, PendingCallsDocument {}

/** The pending calls of a document. */
export interface PendingCallsDocument {
  readonly approvals: readonly ToolCallPart[];
  readonly calls: readonly ToolCallPart[];
  /** Absent without calls of this kind. */
  readonly questions?: readonly ToolCallPart[] | undefined;
  /** By tool call id; no prototype. */
  readonly metadata: Readonly<RecordByKey<JsonObject>>;
  /** The paths of calls of sub-agents. Absent without such calls. */
  readonly nested?: Readonly<RecordByKey<NestedPath>> | undefined;
  /** The ids of the pending calls; absent in documents of earlier versions. */
  readonly ids?: Readonly<RecordByKey<string>> | undefined;
  /** Previews, digests and warnings. Absent if no call has any. */
  readonly details?: Readonly<RecordByKey<CallDetails>> | undefined;
}

/**
 * Stores deferred tool requests as JSON that this and later versions of Holdpoint can read.
 *
 * Rejects two calls with the same id, because a decision would be ambiguous. The arguments are those
 * that the model sent: a document does not contain the tools that validate them.
 */
export const requestsCodec: Codec<DeferredToolRequests, RequestsDocument, 1> = createCodec({
  version: REQUESTS_HEADER.version,
  read: (document) =>
    new DeferredToolRequests(readRequests(openDocument(document, REQUESTS_HEADER, JsonPath.root))),
  write({ approvals, calls, questions, metadata, nested, ids, details }) {
    const document = {
      approvals,
      calls,
      ...(questions.length > 0 && { questions }),
      metadata,
      ...(Object.keys(nested).length > 0 && { nested }),
      ...(Object.keys(ids).length > 0 && { ids }),
      ...(Object.keys(details).length > 0 && { details: withoutStates(details) }),
    };
    return Object.freeze({ ...REQUESTS_HEADER, ...readRequests(document) });
  },
});

/** Removes the data of tools with questions, because documents are sent to people who decide. */
function withoutStates(
  details: Readonly<RecordByKey<CallDetails>>,
): Readonly<RecordByKey<CallDetails>> {
  const entries = Object.entries(details).map(([key, call]) => [
    key,
    { ...call, questionState: undefined },
  ]);
  return Object.fromEntries(entries);
}

const pathFormat = objectOf<NestedPath>({
  agents: listOf(objectOf<AgentCall>({ toolName: stringFormat, toolCallId: stringFormat })),
  toolCallId: stringFormat,
});

const requestsFormat = translatedObjectOf<PendingCallsDocument>({
  approvals: listOf(toolCallFormat),
  calls: listOf(toolCallFormat),
  questions: optional(listOf(toolCallFormat)),
  metadata: withDefault(byIdOf(jsonObjectFormat), Object.freeze(Object.create(null))),
  nested: optional(byIdOf(pathFormat)),
  ids: optional(byIdOf(stringFormat)),
  details: optional(byIdOf(callDetailsFormat)),
});

function readRequests(document: unknown): PendingCallsDocument {
  const requests = requestsFormat.read(document, JsonPath.root);
  const ids = new Set<string>();
  for (const member of ['approvals', 'calls', 'questions'] as const) {
    for (const [index, { toolCallId }] of (requests[member] ?? []).entries()) {
      if (ids.has(toolCallId)) failForDuplicate(toolCallId, JsonPath.of(member, index));
      ids.add(toolCallId);
    }
  }
  for (const { toolCallId } of requests.questions ?? []) {
    if (requests.details?.[toolCallId]?.question !== undefined) continue;
    JsonPath.of('details').at(toolCallId).fail('Expected the question of this call.');
  }
  return requests;
}

function failForDuplicate(id: string, path: JsonPath): never {
  return path
    .at('toolCallId')
    .fail(`Expected an id that no other call has, found ${quote(id)} again.`);
}
