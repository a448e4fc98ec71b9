import { ToolExpired } from '../../deferred/decisions.ts';
import type { DecisionEntry, PendingCall } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { ToolFailed, ToolReturn } from '../../tools/signals.ts';
import { type ClientCallIds, descriptorOf } from '../front-end/call-values.ts';
import type { ReadPromptOptions } from '../front-end/read-request.ts';
import type { AgUiInterrupt, AgUiOutcome } from './protocol.ts';
import { type ClientDecision, readPromptContent, type RunInput } from './run-input.ts';

/** The data that the outcome of a run depends on. */
interface OutcomeContext {
  readonly ids: ClientCallIds;
  /** The protocol version that the client sent. Clients before 1.0 send none. */
  readonly protocolVersion: string | undefined;
  /** Texts to show with the requests, by the id of the pending call: `1 of 2 approvals`. */
  readonly notes?: ReadonlyMap<string, string> | undefined;
}

/** Returns the outcome of a run. It is an interrupt if the run needs decisions. */
export function interruptOutcome(
  requests: DeferredToolRequests | undefined,
  { ids, protocolVersion, notes }: OutcomeContext,
): AgUiOutcome {
  const calls = [...(requests ?? [])];
  const interrupts = calls
    .filter(isInterrupt)
    .map((call) => interruptOf(call, ids, notes?.get(call.id)));
  if (interrupts.length > 0) return { type: 'interrupt', interrupts };
  // The schema of clients before 1.0 rejects the member.
  if (calls.length === 0 || protocolVersion === undefined) return { type: 'success' };
  return { type: 'success', pendingToolCallIds: calls.map((call) => ids.ofPending(call)) };
}

/** Returns whether a client decides a call in `resume`. It sends the results of other calls as messages. */
export function isInterrupt({ kind }: PendingCall): boolean {
  return kind !== 'external';
}

function interruptOf(
  call: PendingCall,
  ids: ClientCallIds,
  note: string | undefined,
): AgUiInterrupt {
  const { id, toolName, preview, definition, path, question } = call;
  const text = typeof preview === 'string' ? preview : `Approve ${toolName}?`;
  const message = question?.message ?? text;
  return {
    id,
    reason: question === undefined ? 'tool_call' : 'input_required',
    message: note === undefined ? message : `${message}\n${note}`,
    toolCallId: ids.ofPending(call),
    responseSchema: question?.schema ?? decisionSchema(definition?.parametersJsonSchema),
    ...(path.length > 0 && { subagentRunId: subAgentId(ids, path) }),
    metadata: { holdpoint: descriptorOf(call) },
  };
}

/** Returns the id of the sub-agent that the last call of a path started: the id of that call. */
export function subAgentId(ids: ClientCallIds, path: PendingCall['path']): string {
  const last = path.at(-1);
  return last === undefined ? '' : ids.nested(path.slice(0, -1), last.toolCallId);
}

/** Returns the schema of a decision. Some clients offer no buttons if it has further keywords. */
function decisionSchema(args: Readonly<Record<string, unknown>> = { type: 'object' }) {
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      reason: { type: 'string' },
      editedArgs: args,
    },
    required: ['approved'],
  };
}

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
