import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/internal/json.ts';
import type { Message, ModelRequest, ModelResponse } from '../../src/messages/message.ts';
import type { BinaryContent, UserContent, UserPrompt } from '../../src/messages/content.ts';
import type { RequestPart, ValidationIssue } from '../../src/messages/request-part.ts';
import type { ResponsePart } from '../../src/messages/response-part.ts';

const text = fc.string({ unit: 'binary' });
const id = fc.string();
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const timestamp = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const base64 = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64'));

/** Names that are special to JavaScript are as likely as all others together. */
const memberName = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', 'kind', '0', ''),
);

const { json } = fc.letrec<{ json: JsonValue; members: JsonObject }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie('json'), { maxLength: 3 }),
    tie('members'),
  ),
  members: membersOf(tie('json')),
}));
const jsonObject: fc.Arbitrary<JsonObject> = membersOf(json);

/** Objects that can have `__proto__` as an own member, like those of `JSON.parse`. */
function membersOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Readonly<Record<string, T>>> {
  return fc
    .uniqueArray(fc.tuple(memberName, value), { maxLength: 4, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries));
}

/** An object with all members of `required`, and any of `optional`. */
function object<R extends object, O extends object>(
  required: { [K in keyof R]: fc.Arbitrary<R[K]> },
  optional: { [K in keyof O]: fc.Arbitrary<O[K]> },
): fc.Arbitrary<R & Partial<O>> {
  return fc
    .tuple(fc.record(required), fc.record(optional, { requiredKeys: [] }))
    .map(([always, sometimes]) => ({ ...always, ...sometimes }) as R & Partial<O>);
}

const kind = <const K extends string>(name: K): fc.Arbitrary<K> => fc.constant(name);

const fileFields = { identifier: id, vendorMetadata: jsonObject };

const urlContent = object(
  {
    kind: fc.constantFrom('image-url', 'audio-url', 'video-url', 'document-url'),
    url: text,
  },
  {
    mediaType: text,
    forceDownload: fc.constantFrom(true, false, 'allow-local' as const),
    ...fileFields,
  },
);

const binary: fc.Arbitrary<BinaryContent> = object(
  { kind: kind('binary'), data: base64, mediaType: text },
  fileFields,
);

const userContent: fc.Arbitrary<UserContent> = fc.oneof(
  text,
  object({ kind: kind('text-content'), content: text }, { metadata: json }),
  urlContent,
  binary,
  object(
    { kind: kind('uploaded-file'), fileId: id, providerName: id },
    { mediaType: text, ...fileFields },
  ),
  object({ kind: kind('cache-point') }, { ttl: fc.constantFrom('5m', '1h') }),
);

const userPrompt: fc.Arbitrary<UserPrompt> = fc.oneof(
  text,
  fc.array(userContent, { maxLength: 4 }),
);

const issue: fc.Arbitrary<ValidationIssue> = object(
  { path: fc.array(fc.oneof(text, fc.nat()), { maxLength: 3 }), message: text },
  { type: text, input: json },
);

const toolKind = fc.constantFrom('tool-search', 'capability-load');
const toolFields = { toolName: id, toolCallId: id };
const returnFields = {
  ...toolFields,
  content: json,
  outcome: fc.constantFrom('success', 'failed', 'denied', 'interrupted', 'expired', 'superseded'),
};

const providerFields = { id, providerName: id, providerDetails: jsonObject };
const speechFields = {
  transcript: text,
  audio: binary,
  interruptedAtMs: fc.nat(),
  ...providerFields,
};

const requestPart: fc.Arbitrary<RequestPart> = fc.oneof(
  object({ kind: kind('system-prompt'), content: text }, { dynamicRef: id, timestamp }),
  object({ kind: kind('user-prompt'), content: userPrompt }, { timestamp }),
  object({ kind: kind('tool-return'), ...returnFields }, { metadata: json, toolKind, timestamp }),
  object(
    { kind: kind('retry-prompt'), content: fc.oneof(text, fc.array(issue, { maxLength: 3 })) },
    { toolCallId: id, timestamp },
  ),
  object({ kind: kind('retry-prompt'), content: text, ...toolFields }, { timestamp }),
  object(
    { kind: kind('tool-availability-delta'), toolsAdded: fc.array(id, { maxLength: 3 }) },
    { toolCallId: id },
  ),
  object({ kind: kind('speech'), speaker: kind('user') }, speechFields),
);

const callFields = { ...toolFields, args: fc.oneof(jsonObject, text, fc.constant(null)) };

const responsePart: fc.Arbitrary<ResponsePart> = fc.oneof(
  object({ kind: kind('text'), content: text }, providerFields),
  object({ kind: kind('thinking'), content: text }, { signature: text, ...providerFields }),
  object({ kind: kind('tool-call'), ...callFields }, { toolKind, ...providerFields }),
  object({ kind: kind('native-tool-call'), ...callFields }, { toolKind, ...providerFields }),
  object(
    { kind: kind('native-tool-return'), ...returnFields },
    { metadata: json, toolKind, timestamp, providerName: id, providerDetails: jsonObject },
  ),
  object({ kind: kind('file'), content: binary }, providerFields),
  object({ kind: kind('compaction') }, { content: text, ...providerFields }),
  object({ kind: kind('speech'), speaker: kind('assistant') }, speechFields),
);

const messageFields = { timestamp, runId: id, conversationId: id, metadata: jsonObject };

const request: fc.Arbitrary<ModelRequest> = object(
  { kind: kind('request'), parts: fc.array(requestPart, { maxLength: 4 }) },
  {
    instructions: text,
    state: fc.constantFrom('complete', 'interrupted'),
    ...messageFields,
  },
);

const usage = object(
  {},
  {
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    cacheReadTokens: fc.nat(),
    cacheWriteTokens: fc.nat(),
    inputAudioTokens: fc.nat(),
    outputAudioTokens: fc.nat(),
    cacheAudioReadTokens: fc.nat(),
    details: membersOf(number),
    cost: fc.nat().map((cents) => (cents / 100).toFixed(2)),
  },
);

const response: fc.Arbitrary<ModelResponse> = object(
  { kind: kind('response'), parts: fc.array(responsePart, { maxLength: 4 }) },
  {
    usage,
    modelName: id,
    providerName: id,
    providerUrl: id,
    providerResponseId: id,
    providerDetails: jsonObject,
    finishReason: fc.constantFrom('stop', 'length', 'content_filter', 'tool_call', 'error'),
    state: fc.constantFrom('complete', 'incomplete', 'suspended', 'interrupted'),
    ...messageFields,
  },
);

/** Valid histories, including conversations that no model has. */
export const arbitraryMessages: fc.Arbitrary<readonly Message[]> = fc.array(
  fc.oneof(request, response),
  { maxLength: 5 },
);

/** Any JSON, including values that messages never contain. */
export const arbitraryJson: fc.Arbitrary<JsonValue> = json;
