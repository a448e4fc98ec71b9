import { liveEnvironment } from '../context/environment.ts';
import { checkOptions } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { messageCodec } from '../messages/codec/index.ts';
import { type Message, isTrusted } from '../messages/message.ts';
import { type PendingCallRecord, withOneRecord } from '../messages/step-record.ts';
import { requestsFromMessages } from './from-messages.ts';

/** Options of {@link forkHistory}. */
export interface ForkOptions {
  /** Creates the new names of steps; UUIDs by default. */
  readonly newId?: (() => string) | undefined;
}

/**
 * Copies a parked history as a separate one. Its calls may execute even if those of the original have executed, and
 * they have a different `ctx.idempotencyKey`.
 *
 * The parked step gets a new name, and so do the parked steps of sub-agents. Digests refer to the old names, so the
 * copy has none, and decisions with a digest are rejected. A ledger does not know the copy: run it without decisions
 * first, which parks it again, and use the requests of that run. This does not include sub-agents: a copy with parked
 * sub-agents can only be resumed without a ledger.
 */
export function forkHistory(
  messages: readonly Message[],
  options: ForkOptions = {},
): readonly Message[] {
  checkOptions('`forkHistory`', options, { newId: 'function' });
  const trusted = isTrusted(messages) ? messages : messageCodec.fromJSON(messages);
  if (requestsFromMessages(trusted) === undefined) {
    throw new UserError(
      'The history has no pending calls, so there is nothing to fork. Use the history as it is.',
      { code: 'nothing-pending' },
    );
  }
  return forkRecords(trusted, options.newId ?? liveEnvironment.newId);
}

function forkRecords(messages: readonly Message[], newId: () => string): readonly Message[] {
  return withOneRecord(messages, (record) => {
    const step = newId();
    const open = new Map<string, PendingCallRecord>();
    for (const [id, call] of record.open) open.set(id, forkCall(call, newId));
    return { ...record, ledger: undefined, step, open };
  });
}

function forkCall(call: PendingCallRecord, newId: () => string): PendingCallRecord {
  if (call.kind === 'agent') return { ...call, messages: forkRecords(call.messages, newId) };
  if (call.details?.digest === undefined) return call;
  const { digest: _, ...details } = call.details;
  return { ...call, details };
}
