import type { PendingCall } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { ClientCallIds } from '../front-end/call-ids.ts';
import { descriptorOf } from '../front-end/call-values.ts';
import type { AgUiOutcome } from './ag-ui-event.ts';
import type { AgUiInterrupt } from './ag-ui-interrupt.ts';

/** The data that the outcome of a run depends on. */
export interface OutcomeContext {
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
