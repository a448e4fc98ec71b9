import { quoteCalls, UserError } from '../errors/user-errors.ts';
import { callsWithDuplicateIds, type Message } from '../messages/message.ts';
import { PendingCalls } from '../messages/history.ts';
import { openHistory } from '../messages/open-history.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { stepRecordOf } from '../messages/step-record.ts';
import type { DeferredToolRequests } from './requests.ts';
import { RequestsBuilder } from './requests-builder.ts';

/**
 * Reads the pending calls of a parked run from its messages. Returns `undefined` if no call is
 * pending.
 *
 * The kind of each call comes from the step record that the run stored in the history. A pending
 * call without a record is a `UserError`, because it is unknown whether it needs a decision or a
 * result. Only calls of the last response count. The arguments are those that the model sent,
 * because messages do not contain the tools.
 */
export function requestsFromMessages(
  messages: readonly Message[],
): DeferredToolRequests | undefined {
  const history = openHistory(messages);
  const calls = history.pendingCalls;
  if (calls.length === 0) return undefined;
  requireUniqueIds(calls);
  const record = stepRecordOf(history.messages);
  const requests = new RequestsBuilder({ name: record?.step ?? '', round: record?.round });
  const unrecorded = new PendingCalls(calls);
  // The record has the order in which the calls were deferred.
  for (const [id, recorded] of record?.open ?? []) {
    const call = unrecorded.take(id);
    if (call === undefined) continue;
    if (recorded.kind === 'agent') {
      requests.addNested(call, requestsFromSubAgent(recorded.messages, call));
    } else {
      requests.add(call, recorded);
    }
  }
  requireNone([...unrecorded.calls.values()]);
  return requests.build();
}

/** Returns the pending calls of the parked sub-agent that `call` started. */
export function requestsFromSubAgent(
  messages: readonly Message[],
  call: ToolCallPart,
): DeferredToolRequests {
  const requests = requestsFromMessages(messages);
  if (requests !== undefined) return requests;
  throw new UserError(
    `The history records a parked sub-agent for ${quoteCalls([call])}, but that sub-agent has no pending call. ` +
      'Pass the messages of the parked run without changes.',
  );
}

/** Throws if a pending call shares its id with another call of the response, because a decision would be ambiguous. */
export function requireUniqueIds(
  pending: readonly ToolCallPart[],
  all: readonly ToolCallPart[] = pending,
): void {
  const duplicates = callsWithDuplicateIds(pending, all);
  if (duplicates.length === 0) return;
  throw new UserError(
    `Calls of the history's last response share an id, so a decision would be ambiguous: ${quoteCalls(duplicates)}. ` +
      'Start a new run.',
  );
}

function requireNone(unrecorded: readonly ToolCallPart[]): void {
  if (unrecorded.length === 0) return;
  throw new UserError(
    `The history has no step record for pending tool calls, so it is unknown whether they need a decision or a result: ${quoteCalls(unrecorded)}. ` +
      'Holdpoint did not park them, or the record was removed. Use the requests of the run that parked.',
  );
}
