import { quoteCalls } from '../errors/quote-ids.ts';
import { UserError } from '../errors/user-errors.ts';
import { callsWithDuplicateIds, type Message } from '../messages/message.ts';
import { PendingCalls } from '../messages/pending-calls.ts';
import { openHistory } from '../messages/open-history.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { recordOf, type StepRecord } from '../messages/step-record.ts';
import type { DeferredToolRequests } from './requests.ts';
import { RequestsBuilder } from './requests-builder.ts';

/**
 * What a parked run waits for, read back from its messages alone; `undefined` if it waits for nothing.
 *
 * Goes by what the run noted in the history when it parked, and by nothing in there that is not a call
 * of the last response without a result. Calls without such a note are a `UserError`, since nobody
 * knows what kind of answer they take. The arguments are those that the model sent: messages do not
 * know the tools.
 */
export function requestsFromMessages(
  messages: readonly Message[],
): DeferredToolRequests | undefined {
  const history = openHistory(messages);
  const calls = history.pendingCalls;
  if (calls.length === 0) return undefined;
  requireUniqueIds(calls);
  const requests = new RequestsBuilder();
  addNoted(requests, calls, recordOf(history.messages));
  return requests.build();
}

/** Adds the calls in the order in which they came to wait. */
function addNoted(
  requests: RequestsBuilder,
  calls: readonly ToolCallPart[],
  record: StepRecord | undefined,
): void {
  const open = new PendingCalls(calls);
  for (const [id, noted] of record?.open ?? []) {
    const call = open.take(id);
    if (call === undefined) continue;
    if (noted.kind === 'agent')
      requests.addNested(call, requestsFromSubAgent(noted.messages, call));
    else requests.add(call, { as: noted.kind, metadata: noted.metadata, details: noted.details });
  }
  requireNone(open.list());
}

/** What the agent waits for that a call has handed work to. */
export function requestsFromSubAgent(
  messages: readonly Message[],
  call: ToolCallPart,
): DeferredToolRequests {
  const requests = requestsFromMessages(messages);
  if (requests !== undefined) return requests;
  throw new UserError(
    `The history says that the agent behind ${quoteCalls([call])} is parked, but none of its calls waits. ` +
      'Take the history as the run has left it.',
  );
}

/** Answers are by id: throws if an open call shares its id with another call of the response. */
export function requireUniqueIds(
  open: readonly ToolCallPart[],
  all: readonly ToolCallPart[] = open,
): void {
  const shared = callsWithDuplicateIds(open, all);
  if (shared.length === 0) return;
  throw new UserError(
    `Calls of the history's last response share their id: ${quoteCalls(shared)}. ` +
      'An answer could not be matched. Start a new run.',
  );
}

function requireNone(unknown: readonly ToolCallPart[]): void {
  if (unknown.length === 0) return;
  throw new UserError(
    `The history does not say what its open tool calls wait for: ${quoteCalls(unknown)}. An approval ` +
      'or a result? They were not parked by Holdpoint, or their step record was removed. ' +
      'Take the requests from the run that parked, or from where you stored them.',
  );
}
