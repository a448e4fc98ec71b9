import { InvalidJsonError } from '../errors/invalid-json-error.ts';
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from './json.ts';
import type { Message } from './message.ts';

/**
 * What a later process must know about a step that waits for answers.
 *
 * It is kept under `metadata.holdpoint` of the parked response; in a later round of the same step, of
 * the request that this round added.
 */
export interface StepRecord {
  readonly v: 1;
  /** Names the step; made when it first parks and copied by forks. */
  readonly step: string;
  /** The calls that wait, by tool call id. */
  readonly open: Readonly<Record<string, OpenCall>>;
  /** Their order, where it is not that of `open`: JavaScript puts ids that look like numbers first. */
  readonly order?: readonly string[] | undefined;
}

/** A call that waits for its answer. */
export interface OpenCall {
  readonly kind: 'approval' | 'external';
  /** What the tool attached for whoever answers. */
  readonly metadata?: JsonObject | undefined;
}

const KEY = 'holdpoint';

/** Whether a message carries a record. */
export function hasStepRecord({ metadata }: Message): boolean {
  return metadata !== undefined && Object.hasOwn(metadata, KEY);
}

/** A message that carries a record. */
export function withStepRecord(message: Message, record: StepRecord): Message {
  // A record is JSON; interfaces just do not say so.
  const metadata = Object.freeze({ ...message.metadata, [KEY]: record as unknown as JsonValue });
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

/** What is recorded about the step that a history ends in; later messages win over earlier ones. */
export function readStepRecord(messages: readonly Message[]): StepRecord | undefined {
  const start = messages.findLastIndex((message) => message.kind === 'response');
  if (start < 0) return undefined;
  let record: StepRecord | undefined;
  for (let index = start; index < messages.length; index++) {
    const value = messages[index]?.metadata?.[KEY];
    if (value === undefined) continue;
    const found = checkRecord(value, `messages[${index}].metadata.${KEY}`);
    record = record === undefined ? found : mergeRecords(record, found);
  }
  return record;
}

/** The ids of the calls that wait, in the order in which they came to wait. */
export function openIdsOf({ open, order = [] }: StepRecord): string[] {
  const ids = new Set(order.filter((id) => Object.hasOwn(open, id)));
  for (const id of Object.keys(open)) ids.add(id);
  return [...ids];
}

function mergeRecords(earlier: StepRecord, later: StepRecord): StepRecord {
  const open: Record<string, OpenCall> = Object.create(null);
  Object.assign(open, earlier.open, later.open);
  return { ...later, open };
}

/** Records come from stored documents: nothing in them is taken on trust. */
function checkRecord(value: JsonValue, path: string): StepRecord {
  if (!isPlainObject(value)) throw new InvalidJsonError(path, 'expected an object.');
  if (value['v'] !== 1) {
    throw new InvalidJsonError(`${path}.v`, 'expected 1; a newer Holdpoint wrote this history.');
  }
  const { step, open } = value;
  if (typeof step !== 'string' || step === '') {
    throw new InvalidJsonError(`${path}.step`, 'expected the name of the step.');
  }
  if (!isPlainObject(open)) throw new InvalidJsonError(`${path}.open`, 'expected an object.');
  const calls: Record<string, OpenCall> = Object.create(null);
  for (const [id, call] of Object.entries(open)) {
    setOwn(calls, id, checkOpenCall(call, `${path}.open.${id}`));
  }
  const { order } = value;
  if (order === undefined) return { v: 1, step, open: calls };
  if (!Array.isArray(order) || !order.every((id) => typeof id === 'string')) {
    throw new InvalidJsonError(`${path}.order`, 'expected a list of tool call ids.');
  }
  return { v: 1, step, open: calls, order };
}

function checkOpenCall(value: unknown, path: string): OpenCall {
  if (!isPlainObject(value)) throw new InvalidJsonError(path, 'expected an object.');
  const { kind, metadata } = value;
  if (kind !== 'approval' && kind !== 'external') {
    throw new InvalidJsonError(`${path}.kind`, "expected 'approval' or 'external'.");
  }
  if (metadata === undefined) return { kind };
  if (!isPlainObject(metadata))
    throw new InvalidJsonError(`${path}.metadata`, 'expected an object.');
  // Messages are JSON, so what lies in them is too.
  return { kind, metadata: metadata as JsonObject };
}
