import { messageCodec } from './codec/index.ts';
import { lastResponseIndex, type Message } from './message.ts';
import { openHistory } from './open-history.ts';
import { isTrusted, trust } from './trusted-histories.ts';
import {
  hasStepRecord,
  type PendingCallRecord,
  type StepRecord,
  withOneRecord,
  withoutStepRecord,
} from './step-record.ts';

/**
 * A copy of a history without the notes about parked steps that nobody needs any more: those of steps
 * that are over, and in the last one what is noted about calls that have their result, with the messages
 * of agents behind them.
 *
 * The messages themselves stay, and what a parked run needs to go on: it waits for the same, and goes on
 * in the same way.
 */
export function pruneParked(messages: readonly Message[]): readonly Message[] {
  const own = isTrusted(messages) ? messages : messageCodec.fromJSON(messages);
  if (!own.some(hasStepRecord)) return own;
  const open = new Set(openHistory(own).pendingCalls.map((call) => call.toolCallId));
  const start = lastResponseIndex(own);
  const ofLastStep = own.map((message, index) =>
    index < start ? withoutStepRecord(message) : message,
  );
  return withOneRecord(trust(ofLastStep), (record) =>
    open.size === 0 ? undefined : pruned(record, open),
  );
}

function pruned(record: StepRecord, open: ReadonlySet<string>): StepRecord {
  const kept = new Map<string, PendingCallRecord>();
  for (const [id, call] of record.open) {
    if (open.has(id)) kept.set(id, call.kind === 'agent' ? prunedAgent(call) : call);
  }
  return { ...record, open: kept };
}

function prunedAgent<Call extends PendingCallRecord & { readonly kind: 'agent' }>(
  call: Call,
): Call {
  return { ...call, messages: pruneParked(call.messages) };
}
