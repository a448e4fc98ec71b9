import { ToolExpired } from '../../deferred/decisions.ts';
import type { DecisionEntry, PendingCall } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { ToolFailed, ToolReturn } from '../../tools/signals.ts';
import type { ClientCallIds } from '../front-end/call-ids.ts';
import type { ReadPromptOptions } from '../front-end/read-prompt.ts';
import { isInterrupt } from './interrupts.ts';
import { readPromptContent } from './prompt-content.ts';
import type { ClientDecision, RunInput } from './run-input.ts';

/** The decisions and results of a client. */
export interface ClientDecisions {
  readonly entries: readonly DecisionEntry[];
  /** The ids of calls whose results the client supplied. */
  readonly supplied: ReadonlySet<string>;
  /** Reasons why the decisions about calls were not accepted, by the id of the pending call. */
  readonly notes: ReadonlyMap<string, string>;
}

/**
 * Returns the decisions and results that a client sent for calls that are pending here. The calls, their arguments and
 * their digests are those of the server; everything else that the client sent about them is ignored.
 */
export function readInterruptDecisions(
  { resume, results }: RunInput,
  requests: DeferredToolRequests,
  ids: ClientCallIds,
  options: ReadPromptOptions,
): ClientDecisions {
  const entries: DecisionEntry[] = [];
  const supplied = new Set<string>();
  const notes = new Map<string, string>();
  for (const call of requests) {
    if (isInterrupt(call)) {
      if (!resume.has(call.id)) continue;
      const entry = readDecision(call, resume.get(call.id));
      if (entry === undefined) notes.set(call.id, UNREADABLE);
      else entries.push(entry);
    } else {
      const toolCallId = ids.ofPending(call);
      const message = results.get(toolCallId);
      if (message === undefined) continue;
      entries.push(readToolMessage(call, message, options));
      supplied.add(toolCallId);
    }
  }
  return { entries, supplied, notes };
}

const UNREADABLE =
  'The decision could not be read. Send a `payload` that matches `responseSchema`.';

/** Reads a decision; `undefined` if it is not clear. Nothing executes on a decision that is not clear. */
function readDecision(
  call: PendingCall,
  decision: ClientDecision | undefined,
): DecisionEntry | undefined {
  if (decision?.status === 'cancelled') {
    // A dismissed request is no decision, so the call does not count as denied.
    const { key, digest } = call;
    const expired = new ToolExpired('No decision was made: the user dismissed the request.');
    return { kind: 'approval', key, decision: expired, ...(digest !== undefined && { digest }) };
  }
  if (decision?.status !== 'resolved' || decision.payload === undefined) return undefined;
  // The input was parsed from JSON. It is validated against the schema of the question before the call executes.
  if (call.kind === 'question') return call.respond(decision.payload as JsonValue);
  return readInterruptApproval(call, decision.payload);
}

function readInterruptApproval(call: PendingCall, payload: unknown): DecisionEntry | undefined {
  if (!isPlainObject(payload)) return undefined;
  const { approved, reason: given, editedArgs } = payload;
  const reason = typeof given === 'string' && given !== '' ? given : undefined;
  if (approved === false) return call.deny(reason);
  if (approved !== true) return undefined;
  if (editedArgs === undefined) return call.approve({ reason });
  // The edit was parsed from JSON, and the run validates it before the call executes.
  return isPlainObject(editedArgs)
    ? call.approve({ reason, args: editedArgs as JsonObject })
    : undefined;
}

function readToolMessage(
  call: PendingCall,
  { content, error }: Readonly<Record<string, unknown>>,
  options: ReadPromptOptions,
): DecisionEntry {
  if (typeof error === 'string' && error !== '') return call.resolve(new ToolFailed(error));
  if (content === '') return call.resolve(new ToolReturn({ returnValue: '' }));
  const value = readPromptContent(content, options);
  // A plain value could pass for a retry prompt; a `ToolReturn` is always a result.
  return call.resolve(
    typeof value === 'string'
      ? new ToolReturn({ returnValue: value })
      : new ToolReturn({ returnValue: resultTexts(value), content: value }),
  );
}

function resultTexts(contents: readonly unknown[]): string {
  return contents.filter((content) => typeof content === 'string').join('');
}
