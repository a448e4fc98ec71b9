import { InvalidJsonError } from '../errors/invalid-json-error.ts';
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from './json.ts';
import { callApprovalFormat } from './call-approval.ts';
import { callDetailsFormat } from './call-details.ts';
import { JsonPath, messageCodec, spentUsageFormat } from './codec/index.ts';
import { lastResponseIndex, type Message, type ModelResponse, type SpentUsage } from './message.ts';
import { isOwn, ownMessages } from './own-messages.ts';
import type { OpenCall, ParkedAgent, StepRecord, WaitingCall } from './recorded-step.ts';
import { type NewRecord, PLAIN, shortRecord, wholeOpen, wholeStep } from './short-record.ts';

export type { OpenCall, RecordedApproval, StepRecord, WaitingCall } from './recorded-step.ts';

const KEY = 'holdpoint';

/** Whether a message carries a record. */
export function hasStepRecord({ metadata }: Message): boolean {
  return metadata !== undefined && Object.hasOwn(metadata, KEY);
}

/** A message that carries a record. */
export function withStepRecord(message: Message, record: NewRecord): Message {
  const stored = shortRecord(message, record);
  // A record is JSON; interfaces just do not say so.
  const note = { [KEY]: stored as unknown as JsonValue };
  const metadata = Object.freeze(message.metadata ? { ...message.metadata, ...note } : note);
  return Object.freeze({ ...message, metadata });
}

/** A message as an application or a person should see it: without the framework's own notes. */
export function withoutStepRecord(message: Message): Message {
  if (!hasStepRecord(message)) return message;
  const { [KEY]: _, ...metadata } = message.metadata ?? {};
  const { metadata: _all, ...rest } = message;
  return Object.freeze(
    Object.keys(metadata).length > 0 ? { ...rest, metadata: Object.freeze(metadata) } : rest,
  );
}

/** The records of trusted messages, each read once. */
const readRecords = new WeakMap<Message, ReadRecord>();

/** What is recorded about the step that a history ends in; later messages win over earlier ones. */
export function readStepRecord(messages: readonly Message[]): StepRecord | undefined {
  const record = recordIn(messages, isOwn(messages));
  return record && { ...record, open: new Map(record.open) };
}

/** The same, for ourselves, of messages that are ours: it is kept, and not to be changed. */
export function recordOf(messages: readonly Message[]): StepRecord | undefined {
  return recordIn(messages, true);
}

/** `areOurs`: whether the messages will never change, so that each has to be looked at once only. */
function recordIn(messages: readonly Message[], areOurs: boolean): StepRecord | undefined {
  const start = lastResponseIndex(messages);
  if (start < 0) return undefined;
  let record: StepRecord | undefined;
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message?.metadata?.[KEY] === undefined) continue;
    const found = checkRecord(message, index, areOurs);
    record = record || someOpen(found, isContinued) ? merged(record, found) : found;
  }
  return record;
}

function merged(earlier: StepRecord | undefined, later: StepRecord): StepRecord {
  const open = new Map<string, OpenCall>();
  for (const [id, call] of later.open) open.set(id, joined(earlier?.open.get(id), call));
  for (const [id, call] of earlier?.open ?? []) if (!open.has(id)) open.set(id, call);
  return { ...later, open };
}

function incomplete({ from }: ParkedAgent): InvalidJsonError {
  return new InvalidJsonError(
    `metadata.${KEY}.open`,
    `the first ${from} messages of an agent below are not there; an earlier record was removed.`,
  );
}

/** What a later record says of a call; the run of an agent goes on where the earlier one left it. */
function joined(earlier: OpenCall | undefined, later: OpenCall): OpenCall {
  if (later.kind !== 'agent' || later.from === 0) return later;
  const known = earlier?.kind === 'agent' ? earlier.messages : [];
  if (known.length < later.from) throw incomplete(later);
  const messages = ownMessages([...known.slice(0, later.from), ...later.messages]);
  return { ...later, from: 0, messages };
}

/** The records of two messages that become one, as it lies in the metadata: nothing of what agents below said is lost. */
export function mergedRecord(first: JsonObject, second: JsonObject): JsonObject | undefined {
  const [earlier, later] = [first[KEY], second[KEY]];
  if (!isPlainObject(earlier) || !isPlainObject(later)) return undefined;
  if (!isPlainObject(earlier['open']) || !isPlainObject(later['open'])) return undefined;
  const open: Record<string, JsonValue> = Object.create(null);
  // Messages are JSON, so what lies in them is too.
  Object.assign(open, earlier['open'], later['open'] as JsonObject);
  for (const [id, call] of Object.entries(later['open'])) {
    setOwn(open, id, joinedJson(earlier['open'][id], call) as JsonValue);
  }
  return { [KEY]: Object.freeze({ ...later, open: Object.freeze(open) }) as JsonObject };
}

function joinedJson(earlier: unknown, later: unknown): unknown {
  if (!isParkedAgent(earlier) || !isParkedAgent(later)) return later;
  const kept = later.from - earlier.from;
  if (kept < 0 || kept > earlier.messages.length) return later;
  const messages = Object.freeze([...earlier.messages.slice(0, kept), ...later.messages]);
  return Object.freeze({ ...later, from: earlier.from, messages });
}

function isParkedAgent(call: unknown): call is ParkedAgent {
  if (!isPlainObject(call) || call['kind'] !== 'agent') return false;
  return typeof call['from'] === 'number' && Array.isArray(call['messages']);
}

/** The record of a message that has one. */
function checkRecord(message: Message, index: number, isOurs: boolean): ReadRecord {
  const known = isOurs ? readRecords.get(message) : undefined;
  if (known !== undefined) return known;
  const record = new ReadRecord(message, `messages[${index}].metadata.${KEY}`);
  if (isOurs) readRecords.set(message, record);
  return record;
}

/** The record that a message carries. It comes from a stored document: nothing in it is taken on trust. */
class ReadRecord implements StepRecord {
  readonly step: string;
  readonly round: number | undefined;
  readonly ledger: true | undefined;
  readonly usage: SpentUsage | undefined;
  readonly #response: ModelResponse | undefined;
  readonly #each: WaitingCall | undefined;
  #open: StepRecord['open'] | undefined;

  constructor(message: Message, path: string) {
    const value = message.metadata?.[KEY];
    if (!isPlainObject(value)) throw new InvalidJsonError(path, 'expected an object.');
    const { v, step, round, ledger, usage, open } = value;
    if (v !== 1) {
      throw new InvalidJsonError(`${path}.v`, 'expected 1; a newer Holdpoint wrote this history.');
    }
    if (round !== undefined && !(Number.isInteger(round) && (round as number) > 0)) {
      throw new InvalidJsonError(`${path}.round`, 'expected a whole number from 1 on.');
    }
    this.step = wholeStep(message, step, path);
    this.round = round as number | undefined;
    this.ledger = ledger === undefined ? undefined : true;
    this.usage =
      usage === undefined ? undefined : spentUsageFormat.read(usage, JsonPath.of(path, 'usage'));
    if (message.kind === 'response' && (open === 'approval' || open === 'external')) {
      this.#response = message;
      this.#each = PLAIN[open];
    } else {
      this.#open = readOpen(value, path);
    }
  }

  /** What each call of the response waits for, where the record says that in a word. */
  get each(): WaitingCall | undefined {
    return this.#each;
  }

  /** Made when somebody asks, where it follows from that word: for five calls it takes longer than the rest. */
  get open(): StepRecord['open'] {
    // What has no map has the other two.
    this.#open ??= wholeOpen(this.#response!, this.#each!);
    return this.#open;
  }
}

/** What each call of the last response waits for, where the record says that in a word. */
export function eachIn(record: StepRecord | undefined): WaitingCall | undefined {
  return record instanceof ReadRecord ? record.each : undefined;
}

/** What is recorded of a call of the last response that has no result yet. */
export function openCallIn(
  record: StepRecord | undefined,
  toolCallId: string,
): OpenCall | undefined {
  return eachIn(record) ?? record?.open.get(toolCallId);
}

/** Whether something is so for one of the calls that a record tells more of than what they wait for. */
export function someOpen(
  record: StepRecord | undefined,
  isSo: (call: OpenCall) => boolean,
): boolean {
  if (record === undefined || eachIn(record) !== undefined) return false;
  for (const call of record.open.values()) if (isSo(call)) return true;
  return false;
}

function isContinued(call: OpenCall): boolean {
  return call.kind === 'agent' && call.from > 0;
}

/** The calls in their order; those that it does not name come last. */
function readOpen(
  { open, order = [] }: Readonly<Record<string, unknown>>,
  path: string,
): StepRecord['open'] {
  if (!isPlainObject(open)) throw new InvalidJsonError(`${path}.open`, 'expected an object.');
  if (!(Array.isArray(order) && order.every(isString))) {
    throw new InvalidJsonError(`${path}.order`, 'expected a list of tool call ids.');
  }
  const calls = new Map<string, OpenCall>();
  for (const id of [...order.filter((one) => Object.hasOwn(open, one)), ...Object.keys(open)]) {
    if (!calls.has(id)) calls.set(id, checkOpenCall(open[id], `${path}.open.${id}`));
  }
  return calls;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function checkOpenCall(value: unknown, path: string): OpenCall {
  if (!isPlainObject(value)) throw new InvalidJsonError(path, 'expected an object.');
  const { kind } = value;
  if (kind === 'agent') return checkParkedAgent(value, path);
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

function checkParkedAgent(value: Readonly<Record<string, unknown>>, path: string): ParkedAgent {
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
    messages: loadNested(messages, `${path}.messages`),
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

function loadNested(messages: unknown, path: string): readonly Message[] {
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
  // Messages are JSON, so what lies in them is too.
  return { [name]: value as JsonObject } as { readonly [Key in Name]?: JsonObject };
}
