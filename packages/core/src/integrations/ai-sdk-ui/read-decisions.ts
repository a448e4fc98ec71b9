import type { DecisionEntry, PendingCall } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';
import { ToolFailed, ToolReturn } from '../../tools/signals.ts';
import type { ClientCallIds } from '../front-end/call-ids.ts';
import type { ChatRequest, ClientToolPart } from './chat-request.ts';

/**
 * Returns the decisions and results that a client sent for calls that are pending here. The calls, their arguments and
 * their digests are those of the server; everything else that the client sent about them is ignored.
 */
export function readDecisions(
  { toolParts, edits }: ChatRequest,
  requests: DeferredToolRequests,
  ids: ClientCallIds,
): DecisionEntry[] {
  const readDecision = (call: PendingCall): DecisionEntry | undefined => {
    switch (call.kind) {
      case 'approval':
        return readApproval(call, toolParts, edits);
      case 'question':
        return readInput(call, toolParts);
      case 'external':
        return readResult(call, toolParts, ids.ofPending(call));
    }
  };
  return [...requests].flatMap((call) => {
    const entry = readDecision(call);
    return entry === undefined ? [] : [entry];
  });
}

function readApproval(
  call: PendingCall,
  parts: readonly ClientToolPart[],
  edits: ChatRequest['edits'],
): DecisionEntry | undefined {
  const part = parts.findLast(
    ({ state, approval }) => state === 'approval-responded' && approval['id'] === call.id,
  );
  const { approved, reason: given } = part?.approval ?? {};
  const reason = typeof given === 'string' && given !== '' ? given : undefined;
  if (approved === false) return call.deny(reason);
  if (approved !== true) return undefined;
  // The edit was parsed from JSON, and the run validates it before the call executes.
  const args = edits[call.id] as JsonObject | undefined;
  return call.approve({ reason, ...(args && { args }) });
}

/** Reads the input for a question. The part of a question has the id of the question. */
function readInput(call: PendingCall, parts: readonly ClientToolPart[]): DecisionEntry | undefined {
  const part = parts.findLast((one) => one.toolCallId === call.id);
  // The input was parsed from JSON, and the handler validates it against the schema of the question.
  if (part?.state === 'output-available') return call.respond((part.output ?? null) as JsonValue);
  if (part?.state !== 'output-error') return undefined;
  return call.deny(typeof part.errorText === 'string' ? part.errorText : undefined);
}

function readResult(
  call: PendingCall,
  parts: readonly ClientToolPart[],
  toolCallId: string,
): DecisionEntry | undefined {
  const part = parts.findLast((one) => one.toolCallId === toolCallId);
  if (part?.state === 'output-available') {
    // A plain value could pass for a retry prompt; a `ToolReturn` is always a result.
    return call.resolve(new ToolReturn({ returnValue: part.output ?? null }));
  }
  if (part?.state !== 'output-error') return undefined;
  const { errorText } = part;
  return call.resolve(
    new ToolFailed(typeof errorText === 'string' ? errorText : 'The call failed.'),
  );
}
