import { InvalidJsonError } from '../errors/user-errors.ts';
import {
  type CallApproval,
  type CallDetails,
  callApprovalFormat,
  callDetailsFormat,
} from './call-details.ts';
import { messageCodec, spentUsageFormat, JsonPath } from './codec/index.ts';
import {
  deepFreeze,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  defineOwn,
} from '../internal/json.ts';
import { type Message, type SpentUsage, isTrusted, lastResponseIndex, trust } from './message.ts';

/**
 * The facts about a parked step that another process needs to resume it.
 *
 * The record is stored under `metadata.holdpoint` of the parked response. In a later round of the same step, it is
 * stored on the request that this round added.
 */
export interface StepRecord {
  /** The name of the step; made when it first parks and copied by forks. */
  readonly step: string;
  /** The pending calls by tool call id, in the order in which they were deferred. */
  readonly open: ReadonlyMap<string, PendingCallRecord>;
  /** The number of times that the step was parked before. Absent for the first time. */
  readonly round?: number | undefined;
  /** The run that parked the step in this round; absent for the first time. */
  readonly run?: string | undefined;
  /** True if the step was parked with a ledger. It can then only be resumed with one. */
  readonly ledger?: true | undefined;
  /** The usage of the run when it parked, if the resumed run carries it over. */
  readonly usage?: SpentUsage | undefined;
  /** The trace context of the run that parked, in the W3C format, if the run was traced. */
  readonly traceparent?: string | undefined;
}

/** The record of a pending call: it needs a decision or a result, or its sub-agent is parked. */
export type PendingCallRecord = DeferredCallRecord | SubAgentCallRecord;

/** A call that needs a decision or a result. */
export interface DeferredCallRecord {
  readonly kind: 'approval' | 'external';
  /** Metadata that the tool attached for the approver. */
  readonly metadata?: JsonObject | undefined;
  readonly details?: CallDetails | undefined;
}

/** A call to a sub-agent whose run is parked. */
export interface SubAgentCallRecord {
  readonly kind: 'agent';
  /** The number of messages of that run that earlier records hold. */
  readonly from: number;
  /** The messages of that run after those. */
  readonly messages: readonly Message[];
  /** The approval of the call itself, if it needed one. */
  readonly approval?: RecordedApproval | undefined;
}

/** An approval that was given before. */
export interface RecordedApproval {
  /** The arguments that the call executes with, if they are not those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  readonly metadata?: JsonObject | undefined;
  /** The approvers. */
  readonly given?: CallApproval | undefined;
}

const RECORD_KEY = 'holdpoint';

/** Returns whether a message carries a record. */
export function hasStepRecord({ metadata }: Message): boolean {
  return metadata !== undefined && Object.hasOwn(metadata, RECORD_KEY);
}

/** Returns the runs that a message names: the one that added it, and the one that stored its record. */
export function runsNamedBy({ runId, metadata }: Message): readonly string[] {
  const record = metadata?.[RECORD_KEY];
  const recorded = isPlainObject(record) ? record['run'] : undefined;
  return [runId, recorded].filter((run) => typeof run === 'string');
}

/** Returns a copy of a message that carries a record. */
export function withStepRecord(message: Message, record: StepRecord): Message {
  const metadata = Object.freeze({ ...message.metadata, [RECORD_KEY]: recordToJson(record) });
  return Object.freeze({ ...message, metadata });
}

function recordToJson(record: StepRecord): JsonObject {
  const { step, open, round, run, ledger, usage, traceparent } = record;
  const calls: Record<string, PendingCallRecord> = {};
  for (const [id, call] of open) defineOwn(calls, id, call);
  const ids = [...open.keys()];
  // JavaScript lists ids that look like numbers first. A separate list keeps the order then.
  const isInOrder = Object.keys(calls).every((id, index) => id === ids[index]);
  const stored = {
    v: 1,
    step,
    open: calls,
    ...(!isInOrder && { order: ids }),
    ...(round !== undefined && { round }),
    ...(run !== undefined && { run }),
    ...(ledger !== undefined && { ledger }),
    ...(usage !== undefined && { usage }),
    ...(traceparent !== undefined && { traceparent }),
  };
  // A record is JSON; TypeScript does not accept an interface as such.
  return deepFreeze(stored) as unknown as JsonObject;
}

/** Returns a message without its record, as an application or a person should see it. */
export function withoutStepRecord(message: Message): Message {
  if (!hasStepRecord(message)) return message;
  const { [RECORD_KEY]: _, ...metadata } = message.metadata ?? {};
  const { metadata: _all, ...rest } = message;
  return Object.freeze(
    Object.keys(metadata).length > 0 ? { ...rest, metadata: Object.freeze(metadata) } : rest,
  );
}

/**
 * Returns a trusted history whose last step has one record: `change` of all its records together, on the message
 * that has the latest of them. If `change` returns nothing, the step has none.
 */
export function withOneRecord(
  messages: readonly Message[],
  change: (record: StepRecord) => StepRecord | undefined,
): readonly Message[] {
  const record = stepRecordOf(messages);
  if (record === undefined) return messages;
  const changed = change(record);
  const start = lastResponseIndex(messages);
  const latest = messages.findLastIndex(hasStepRecord);
  const replaced = messages.map((message, index) => {
    if (index < start) return message;
    const plain = withoutStepRecord(message);
    return index === latest && changed ? withStepRecord(plain, changed) : plain;
  });
  return trust(replaced);
}

/** The records of trusted messages. Each is read once. */
const readRecords = new WeakMap<Message, StepRecord>();

/** Returns the record of the step that a history ends in. Later messages take precedence over earlier ones. */
export function readStepRecord(messages: readonly Message[]): StepRecord | undefined {
  const record = stepRecordOf(messages, isTrusted(messages) ? readTrustedRecord : readRecord);
  return record && { ...record, open: new Map(record.open) };
}

/** Returns the record of the step that a trusted history ends in. The record is shared: do not change it. */
export function stepRecordOf(
  messages: readonly Message[],
  read: (message: Message, index: number) => StepRecord = readTrustedRecord,
): StepRecord | undefined {
  const start = lastResponseIndex(messages);
  if (start < 0) return undefined;
  let record: StepRecord | undefined;
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message?.metadata?.[RECORD_KEY] === undefined) continue;
    record = mergeRecords(record, read(message, index));
  }
  return record;
}

function readTrustedRecord(message: Message, index: number): StepRecord {
  const known = readRecords.get(message);
  if (known !== undefined) return known;
  const record = readRecord(message, index);
  readRecords.set(message, record);
  return record;
}

/** Merges two records of a step. Calls of the later record come first and take precedence. */
function mergeRecords(earlier: StepRecord | undefined, later: StepRecord): StepRecord {
  if (earlier === undefined && ![...later.open.values()].some(isContinued)) return later;
  const open = new Map<string, PendingCallRecord>();
  for (const [id, call] of later.open) {
    open.set(id, isContinued(call) ? withEarlierMessages(earlier?.open.get(id), call) : call);
  }
  for (const [id, call] of earlier?.open ?? []) if (!open.has(id)) open.set(id, call);
  return { ...later, open };
}

/** Returns whether an earlier record has the first messages of a sub-agent. */
function isContinued(call: PendingCallRecord): call is SubAgentCallRecord {
  return call.kind === 'agent' && call.from > 0;
}

/** Returns a call to a sub-agent with all messages: those of the later record continue those of the earlier one. */
function withEarlierMessages(
  earlier: PendingCallRecord | undefined,
  later: SubAgentCallRecord,
): SubAgentCallRecord {
  const known = earlier?.kind === 'agent' ? earlier.messages : [];
  if (known.length < later.from) {
    throw new InvalidJsonError(
      `metadata.${RECORD_KEY}.open`,
      `the first ${later.from} messages of a sub-agent are missing; an earlier record was removed.`,
    );
  }
  const messages = trust([...known.slice(0, later.from), ...later.messages]);
  return { ...later, from: 0, messages };
}

/** Merges the stored records of two messages that become one, and keeps all messages of sub-agents. */
export function mergeStoredRecords(first: JsonObject, second: JsonObject): JsonObject | undefined {
  const [earlier, later] = [first[RECORD_KEY], second[RECORD_KEY]];
  if (!isPlainObject(earlier) || !isPlainObject(later)) return undefined;
  if (!isPlainObject(earlier['open']) || !isPlainObject(later['open'])) return undefined;
  const open: Record<string, JsonValue> = Object.create(null);
  // The members of a message are JSON.
  Object.assign(open, earlier['open'], later['open'] as JsonObject);
  for (const [id, call] of Object.entries(later['open'])) {
    defineOwn(open, id, mergeStoredCalls(earlier['open'][id], call) as JsonValue);
  }
  return { [RECORD_KEY]: Object.freeze({ ...later, open: Object.freeze(open) }) as JsonObject };
}

function mergeStoredCalls(earlier: unknown, later: unknown): unknown {
  if (!isSubAgentCall(earlier) || !isSubAgentCall(later)) return later;
  const kept = later.from - earlier.from;
  if (kept < 0 || kept > earlier.messages.length) return later;
  const messages = Object.freeze([...earlier.messages.slice(0, kept), ...later.messages]);
  return Object.freeze({ ...later, from: earlier.from, messages });
}

function isSubAgentCall(call: unknown): call is SubAgentCallRecord {
  if (!isPlainObject(call) || call['kind'] !== 'agent') return false;
  return typeof call['from'] === 'number' && Array.isArray(call['messages']);
}

/** Reads the record of a message. It comes from a stored document, so every member is validated. */
function readRecord(message: Message, index: number): StepRecord {
  const path = `messages[${index}].metadata.${RECORD_KEY}`;
  const value = message.metadata?.[RECORD_KEY];
  if (!isPlainObject(value)) throw new InvalidJsonError(path, 'expected an object.');
  const { v, step, round, run, ledger, usage, traceparent } = value;
  if (v !== 1) {
    throw new InvalidJsonError(`${path}.v`, 'expected 1; a newer Holdpoint wrote this history.');
  }
  if (typeof step !== 'string' || step === '') {
    throw new InvalidJsonError(`${path}.step`, 'expected the name of the step.');
  }
  if (round !== undefined && !isPositiveInteger(round)) {
    throw new InvalidJsonError(`${path}.round`, 'expected a whole number from 1 on.');
  }
  if (run !== undefined && typeof run !== 'string') {
    throw new InvalidJsonError(`${path}.run`, 'expected the id of a run.');
  }
  if (traceparent !== undefined && typeof traceparent !== 'string') {
    throw new InvalidJsonError(`${path}.traceparent`, 'expected a text.');
  }
  return {
    step,
    open: readPendingCalls(value, path),
    round,
    run,
    ledger: ledger === undefined ? undefined : true,
    usage:
      usage === undefined ? undefined : spentUsageFormat.read(usage, JsonPath.of(path, 'usage')),
    traceparent,
  };
}

function isPositiveInteger(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

/** Reads the pending calls in their order; calls that `order` does not name come last. */
function readPendingCalls(
  { open, order = [] }: Readonly<Record<string, unknown>>,
  path: string,
): StepRecord['open'] {
  if (!isPlainObject(open)) throw new InvalidJsonError(`${path}.open`, 'expected an object.');
  if (!(Array.isArray(order) && order.every((id) => typeof id === 'string'))) {
    throw new InvalidJsonError(`${path}.order`, 'expected a list of tool call ids.');
  }
  const calls = new Map<string, PendingCallRecord>();
  for (const id of [...order.filter((one) => Object.hasOwn(open, one)), ...Object.keys(open)]) {
    if (!calls.has(id)) calls.set(id, readPendingCall(open[id], `${path}.open.${id}`));
  }
  return calls;
}

function readPendingCall(value: unknown, path: string): PendingCallRecord {
  if (!isPlainObject(value)) throw new InvalidJsonError(path, 'expected an object.');
  const { kind } = value;
  if (kind === 'agent') return readSubAgentCall(value, path);
  if (kind !== 'approval' && kind !== 'external') {
    throw new InvalidJsonError(`${path}.kind`, "expected 'approval', 'external' or 'agent'.");
  }
  return {
    kind,
    ...optionalObject(value, 'metadata', path),
    ...(value['details'] !== undefined && {
      details: callDetailsFormat.read(value['details'], JsonPath.of(path, 'details')),
    }),
  };
}

function readSubAgentCall(
  value: Readonly<Record<string, unknown>>,
  path: string,
): SubAgentCallRecord {
  const { from, messages, approval } = value;
  if (!Number.isInteger(from) || (from as number) < 0) {
    throw new InvalidJsonError(`${path}.from`, 'expected a number of messages.');
  }
  if (approval !== undefined && !isPlainObject(approval)) {
    throw new InvalidJsonError(`${path}.approval`, 'expected an object.');
  }
  return {
    kind: 'agent',
    from: from as number,
    messages: readNestedMessages(messages, `${path}.messages`),
    ...(approval !== undefined && {
      approval: {
        ...optionalObject(approval, 'overrideArgs', `${path}.approval`),
        ...optionalObject(approval, 'metadata', `${path}.approval`),
        ...(approval['given'] !== undefined && {
          given: callApprovalFormat.read(approval['given'], JsonPath.of(path, 'approval', 'given')),
        }),
      },
    }),
  };
}

function readNestedMessages(messages: unknown, path: string): readonly Message[] {
  if (!Array.isArray(messages)) throw new InvalidJsonError(path, 'expected a list of messages.');
  try {
    return messageCodec.fromJSON(messages);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new InvalidJsonError(path, error.message);
  }
}

function optionalObject<Name extends string>(
  holder: Readonly<Record<string, unknown>>,
  name: Name,
  path: string,
): { readonly [Key in Name]?: JsonObject } {
  const value = holder[name];
  if (value === undefined) return {};
  if (!isPlainObject(value)) throw new InvalidJsonError(`${path}.${name}`, 'expected an object.');
  // The members of a message are JSON.
  return { [name]: value as JsonObject } as { readonly [Key in Name]?: JsonObject };
}

/**
 * Returns the trace context of the run that parked a history, in the W3C format; `undefined` if it was not traced. Store
 * it beside the history to link to the trace without loading the history.
 */
export function parkedTraceparent(messages: readonly Message[]): string | undefined {
  return readStepRecord(messages)?.traceparent;
}
