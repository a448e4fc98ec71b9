import { quoteCalls } from '../errors/quote-ids.ts';
import { UserError } from '../errors/user-error.ts';
import type { JsonObject } from '../messages/json.ts';
import type { Message } from '../messages/message.ts';
import { openHistory } from '../messages/open-history.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { openIdsOf, readStepRecord } from '../messages/step-record.ts';
import { DeferredToolRequests } from './requests.ts';
import { type ById, byId } from './results.ts';

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
  const open = callsById(history.openCalls);
  if (open.size === 0) return undefined;
  const record = readStepRecord(history.messages);
  const lists = { approval: [] as ToolCallPart[], external: [] as ToolCallPart[] };
  const metadata: ById<JsonObject> = byId();
  for (const id of record === undefined ? [] : openIdsOf(record)) {
    const call = open.get(id);
    if (call === undefined) continue;
    open.delete(id);
    const noted = record!.open[id]!;
    lists[noted.kind].push(call);
    if (noted.metadata !== undefined) metadata[id] = noted.metadata;
  }
  requireNone(open);
  return new DeferredToolRequests({ approvals: lists.approval, calls: lists.external, metadata });
}

function callsById(calls: readonly ToolCallPart[]): Map<string, ToolCallPart> {
  const byCallId = new Map<string, ToolCallPart>();
  for (const call of calls) {
    if (byCallId.has(call.toolCallId)) {
      throw new UserError(
        `Open calls of the history's last response share their id: ${quoteCalls([call])}. ` +
          'An answer could not be matched.',
      );
    }
    byCallId.set(call.toolCallId, call);
  }
  return byCallId;
}

function requireNone(unknown: ReadonlyMap<string, ToolCallPart>): void {
  if (unknown.size === 0) return;
  throw new UserError(
    `The history does not say what its open tool calls wait for: ${quoteCalls([...unknown.values()])}. An approval ` +
      'or a result? They were not parked by Holdpoint, or their step record was removed. ' +
      'Take the requests from the run that parked, or from where you stored them.',
  );
}
