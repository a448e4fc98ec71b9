import { liveEnvironment } from '../context/environment.ts';
import { checkOptions } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { messageCodec } from '../messages/codec/index.ts';
import type { Message } from '../messages/message.ts';
import { isTrusted } from '../messages/trusted-histories.ts';
import { type PendingCallRecord, type StepRecord, withOneRecord } from '../messages/step-record.ts';
import { requestsFromMessages } from './from-messages.ts';

/** How a history is forked. */
export interface ForkOptions {
  /** Makes the new names of steps; new UUIDs unless given. */
  readonly newId?: (() => string) | undefined;
}

/**
 * A copy of a parked history that counts as another one: its calls may run again, on purpose, although
 * those of the original have run. Their `ctx.idempotencyKey` is another one, too.
 *
 * The parked step gets a new name, and so do those of agents below that wait with it. Digests are about
 * the old names, so they are dropped: answers that carry them are refused here. A ledger does not know
 * the copy: run it without answers first, which parks it anew, and take the requests from there. That
 * does not reach agents below: a copy in which they wait goes on without a ledger only.
 */
export function forkHistory(
  messages: readonly Message[],
  options: ForkOptions = {},
): readonly Message[] {
  checkOptions('`forkHistory`', options, { newId: 'function' });
  const own = isTrusted(messages) ? messages : messageCodec.fromJSON(messages);
  if (requestsFromMessages(own) === undefined) {
    throw new UserError(
      'There is nothing to fork: no call of this history waits for an answer. Go on with it as it is.',
      { code: 'nothing-pending' },
    );
  }
  return forked(own, options.newId ?? liveEnvironment.newId);
}

function forked(messages: readonly Message[], newId: () => string): readonly Message[] {
  return withOneRecord(messages, (record) => renamed(record, newId));
}

function renamed(record: StepRecord, newId: () => string): StepRecord {
  const step = newId();
  const open = new Map<string, PendingCallRecord>();
  for (const [id, call] of record.open) open.set(id, forkedCall(call, newId));
  return { ...record, ledger: undefined, step, open };
}

function forkedCall(call: PendingCallRecord, newId: () => string): PendingCallRecord {
  if (call.kind === 'agent') return { ...call, messages: forked(call.messages, newId) };
  if (call.details?.digest === undefined) return call;
  const { digest: _, ...details } = call.details;
  return { ...call, details };
}
