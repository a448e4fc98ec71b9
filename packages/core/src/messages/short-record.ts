import { InvalidJsonError } from '../errors/invalid-json-error.ts';
import { deepFreeze } from './json.ts';
import { type Message, type ModelResponse, toolCallsOf } from './message.ts';
import type { OpenCall, StepRecord, WaitingCall } from './recorded-step.ts';

/** What a call waits for, where nothing more is known of it. */
export const PLAIN: Readonly<Record<WaitingCall['kind'], WaitingCall>> = Object.freeze({
  approval: Object.freeze({ kind: 'approval' }),
  external: Object.freeze({ kind: 'external' }),
});

/**
 * A record as it lies in a message. Most often it says only that all calls of the response wait for the
 * same, and its step has the name of the message's run: five calls take 160 bytes less.
 */
export interface StoredRecord extends Omit<StepRecord, 'step' | 'open'> {
  readonly v: 1;
  /** A number where the name is that of the message's run with this number. */
  readonly step: string | number;
  /** What all calls of the response wait for, where there is no more to say of any. */
  readonly open: Readonly<Record<string, OpenCall>> | WaitingCall['kind'];
  /** The order of the calls, where it is not that of `open`: JavaScript puts ids that look like numbers first. */
  readonly order?: readonly string[] | undefined;
}

/** A record that is to lie in a message: a number is enough where the name is that of the message's run with it. */
export interface NewRecord extends Omit<StepRecord, 'step' | 'open'> {
  readonly step: string | number;
  /** The calls that wait, by tool call id: the map of another record, or a list, which takes less to make. */
  readonly open: Iterable<readonly [toolCallId: string, call: OpenCall]>;
}

/** A record without what follows from the message that carries it. */
export function shortRecord(message: Message, record: NewRecord): StoredRecord {
  const { open: waiting, round, ledger, usage } = record;
  const step = shortStep(message, record.step);
  const kind = commonKind(message, waiting);
  if (kind !== undefined && (round ?? ledger ?? usage) === undefined) {
    return Object.freeze({ v: 1, step, open: kind });
  }
  return Object.freeze({
    v: 1,
    step,
    ...(kind === undefined ? listed(waiting) : { open: kind }),
    ...(round !== undefined && { round }),
    ...(ledger !== undefined && { ledger }),
    ...(usage !== undefined && { usage: Object.freeze(usage) }),
  });
}

function listed(waiting: NewRecord['open']): Pick<StoredRecord, 'open' | 'order'> {
  const open: Record<string, OpenCall> = Object.create(null);
  const ids: string[] = [];
  for (const [id, call] of waiting) {
    open[id] = call;
    ids.push(id);
  }
  const isInOrder = Object.keys(open).every((id, index) => id === ids[index]);
  return deepFreeze(isInOrder ? { open } : { open, order: ids });
}

function shortStep({ runId }: Message, step: string | number): string | number {
  if (typeof step === 'number') return step;
  const count = step.startsWith(`${runId}:`) ? step.slice(`${runId}:`.length) : '';
  return /^[1-9]\d{0,8}$/.test(count) ? Number(count) : step;
}

/** The name of a step as a message has it; what it is made of comes from the same message. */
export function wholeStep({ runId }: Message, step: unknown, path: string): string {
  if (Number.isInteger(step) && (step as number) > 0 && runId !== undefined) {
    return `${runId}:${String(step)}`;
  }
  if (typeof step === 'string' && step !== '') return step;
  throw new InvalidJsonError(
    `${path}.step`,
    'expected the name of the step, or its number in the run that the message is of.',
  );
}

/** What all calls of the response wait for; `undefined` if some do not, or there is more to say. */
function commonKind(message: Message, open: NewRecord['open']): WaitingCall['kind'] | undefined {
  if (message.kind !== 'response') return undefined;
  const calls = toolCallsOf(message);
  let kind: WaitingCall['kind'] | undefined;
  let index = 0;
  for (const [id, waiting] of open) {
    if (calls[index]?.toolCallId !== id || !isPlain(waiting)) return undefined;
    kind ??= waiting.kind;
    if (waiting.kind !== kind) return undefined;
    index += 1;
  }
  return index === calls.length ? kind : undefined;
}

function isPlain(call: OpenCall): call is WaitingCall {
  return call.kind !== 'agent' && call.metadata === undefined && call.details === undefined;
}

/** The calls that wait where a response says in a word what all of them wait for. */
export function wholeOpen(response: ModelResponse, each: WaitingCall): StepRecord['open'] {
  return new Map(toolCallsOf(response).map(({ toolCallId }) => [toolCallId, each]));
}
