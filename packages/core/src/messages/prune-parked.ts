import { messageCodec } from './codec/index.ts';
import { type Message, isTrusted, lastResponseIndex, trust } from './message.ts';
import { openHistory } from './open-history.ts';
import {
  hasStepRecord,
  type PendingCallRecord,
  type StepRecord,
  withOneRecord,
  withoutStepRecord,
} from './step-record.ts';

/**
 * Copies a history without the step records that are no longer needed: those of finished steps, and in the last step
 * those of calls that have a result, with the messages of their sub-agents.
 *
 * The messages themselves stay. A parked run has the same pending calls and resumes in the same way.
 */
export function pruneParked(messages: readonly Message[]): readonly Message[] {
  const trusted = isTrusted(messages) ? messages : messageCodec.fromJSON(messages);
  if (!trusted.some(hasStepRecord)) return trusted;
  const pending = new Set(openHistory(trusted).pendingCalls.map((call) => call.toolCallId));
  const start = lastResponseIndex(trusted);
  const ofLastStep = trusted.map((message, index) =>
    index < start ? withoutStepRecord(message) : message,
  );
  return withOneRecord(trust(ofLastStep), (record) =>
    pending.size === 0 ? undefined : pruneRecord(record, pending),
  );
}

function pruneRecord(record: StepRecord, pending: ReadonlySet<string>): StepRecord {
  const open = new Map<string, PendingCallRecord>();
  for (const [id, call] of record.open) {
    if (!pending.has(id)) continue;
    const isAgent = call.kind === 'agent';
    open.set(id, isAgent ? { ...call, messages: pruneParked(call.messages) } : call);
  }
  return { ...record, open };
}
