import type { DocumentHeader } from '../../messages/codec/document.ts';
import {
  listOf,
  objectOf,
  openDocument,
  parseDocument,
  readString,
  readToolCall,
  Trail,
} from '../../messages/codec/index.ts';
import { type CallDetails, readCallDetails } from '../../messages/call-details.ts';
import { readJsonObject } from '../../messages/codec/read-json.ts';
import { quote } from '../../messages/codec/trail.ts';
import type { JsonObject } from '../../messages/json.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { AgentCall, NestedPlace } from '../nested-calls.ts';
import { DeferredToolRequests } from '../requests.ts';
import type { RecordByKey } from '../results.ts';
import { readById } from './by-id.ts';

/** The version of the format that {@link dumpRequests} writes. */
export const REQUESTS_VERSION = 1;

const HEADER = { holdpoint: 'requests', version: REQUESTS_VERSION } as const;

/** Deferred calls as a document that says what it is. */
export interface RequestsDocument extends DocumentHeader<'requests'> {
  readonly approvals: readonly ToolCallPart[];
  readonly calls: readonly ToolCallPart[];
  /** By tool call id; no prototype. */
  readonly metadata: Readonly<RecordByKey<JsonObject>>;
  /** Where the calls are that agents below have made; absent if there are none. */
  readonly nested?: Readonly<RecordByKey<NestedPlace>> | undefined;
  /** Previews, digests and warnings; absent if there are none. */
  readonly details?: Readonly<RecordByKey<CallDetails>> | undefined;
}

/** Requests as JSON text that {@link loadRequests} reads; this and later versions of Holdpoint can. */
export function dumpRequests(requests: DeferredToolRequests): string {
  return JSON.stringify(requestsToJson(requests));
}

/**
 * What {@link dumpRequests} writes, as a frozen document of its own.
 *
 * Requests that could not be loaded again are refused here, with an {@link InvalidJsonError}.
 */
export function requestsToJson(requests: DeferredToolRequests): RequestsDocument {
  return Object.freeze({ ...HEADER, ...readMembers(requests, new Trail()) });
}

/**
 * The requests of a document, checked; `input` is neither kept nor changed.
 *
 * Takes what {@link dumpRequests} and {@link requestsToJson} give, as text or parsed. Two calls with
 * one id are refused, for an answer could not be matched. The first mistake is thrown as an
 * {@link InvalidJsonError} that names its place. The arguments are those that the model sent: a
 * document does not know the tools.
 */
export function loadRequests(input: unknown): DeferredToolRequests {
  const trail = new Trail();
  const document = openDocument(parseDocument(input, trail), HEADER, trail);
  return new DeferredToolRequests(readMembers(document, trail));
}

function readMembers(holder: object, trail: Trail): Omit<RequestsDocument, keyof DocumentHeader> {
  const ids = new Set<string>();
  const read = listOf((value, at: Trail) => withNewId(readToolCall(value, at), ids, at));
  const nested = readById(holder, { member: 'nested', read: readPlace, trail });
  const details = readById(holder, { member: 'details', read: readCallDetails, trail });
  return {
    approvals: readList(holder, 'approvals'),
    calls: readList(holder, 'calls'),
    metadata: readById(holder, { member: 'metadata', read: readJsonObject, trail }),
    ...(Object.keys(nested).length > 0 && { nested }),
    ...(Object.keys(details).length > 0 && { details }),
  };

  function readList(from: object, member: string): readonly ToolCallPart[] {
    trail.enter(member);
    const calls = read(Reflect.get(from, member), trail);
    trail.leave();
    return calls;
  }
}

const readPlace = objectOf<NestedPlace>({
  agents: listOf(objectOf<AgentCall>({ toolName: readString, toolCallId: readString })),
  toolCallId: readString,
});

function withNewId(call: ToolCallPart, ids: Set<string>, trail: Trail): ToolCallPart {
  if (!ids.has(call.toolCallId)) {
    ids.add(call.toolCallId);
    return call;
  }
  trail.enter('toolCallId');
  return trail.fail(
    `Expected an id that no other call has, found ${quote(call.toolCallId)} again.`,
  );
}
