import type { PendingCall } from '../../deferred/pending-call.ts';
import { invariant } from '../../internal/invariant.ts';
import {
  callTitle,
  type ClientCallIds,
  descriptorOf,
  inputOfPending,
  type ShownOutcome,
} from '../front-end/call-values.ts';
import {
  QUESTION_TOOL,
  type UiApprovalRequest,
  type UiMessageChunk,
  type UiQuestion,
  type UiToolOutputChunk,
} from './ui-message.ts';

/** The parts of the message in the client, as far as the requests depend on them. */
interface ShownCalls {
  readonly ids: ClientCallIds;
  /** Returns whether the client has the input of a call. */
  readonly hasInput: (id: string) => boolean;
}

/** Returns the chunks that show pending calls. */
export function requestChunks(calls: Iterable<PendingCall>, shown: ShownCalls): UiMessageChunk[] {
  const pending = [...calls];
  const chunks: UiMessageChunk[] = [];
  for (const call of pending) {
    const toolCallId = shown.ids.ofPending(call);
    // The part of a nested question is enough: the call has one if its sub-agent emitted events.
    const isHidden = call.kind === 'question' && call.path.length > 0;
    if (isHidden || shown.hasInput(toolCallId)) continue;
    const { toolName, path } = call;
    const nested = path.length > 0 && { dynamic: true, title: callTitle(path) };
    const input = inputOfPending(call);
    chunks.push({ type: 'tool-input-available', toolCallId, toolName, input, ...nested });
  }
  return [...chunks, ...requestAgainChunks(pending, shown)];
}

/**
 * Returns the chunks that request decisions and inputs for calls that the client shows. They replace the decisions that
 * the client shows for them. `reasonFor` returns a reason that replaces the preview of a call.
 */
export function requestAgainChunks(
  calls: readonly PendingCall[],
  shown: ShownCalls,
  reasonFor?: (call: PendingCall) => string | undefined,
): UiMessageChunk[] {
  const requests = calls.flatMap((call) => {
    if (call.kind === 'external') return [];
    if (call.kind === 'approval') return [approvalChunk(call, shown.ids, reasonFor?.(call))];
    return [questionChunk(call, reasonFor?.(call))];
  });
  return [...automaticApprovals(calls, shown), ...requests];
}

/** Returns the chunk with the part of a question. Each question has a part, because a call may have several of them. */
function questionChunk(call: PendingCall, problem?: string): UiMessageChunk {
  return {
    type: 'tool-input-available',
    toolCallId: call.id,
    toolName: QUESTION_TOOL,
    dynamic: true,
    ...(call.path.length > 0 && { title: callTitle(call.path) }),
    input: questionOf(call, problem),
  };
}

function approvalChunk(call: PendingCall, ids: ClientCallIds, reason?: string): UiMessageChunk {
  const { id, requestReason, descriptor } = approvalOf(call, reason);
  return {
    type: 'tool-approval-request',
    approvalId: id,
    toolCallId: ids.ofPending(call),
    ...(requestReason !== undefined && { reason: requestReason }),
    ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
  };
}

/**
 * Returns chunks that mark the outer calls of sub-agents, and calls with a question, as approved automatically. `useChat`
 * sends decisions only when every call of a step has one, and these calls need none.
 */
function automaticApprovals(
  calls: readonly PendingCall[],
  { ids, hasInput }: ShownCalls,
): UiMessageChunk[] {
  const outer = new Set<string>();
  for (const { kind, path: agents, toolCallId: own } of calls) {
    const path = kind === 'question' ? [...agents, { toolCallId: own, toolName: '' }] : agents;
    for (const [depth, { toolCallId }] of path.entries()) {
      const id = ids.nested(path.slice(0, depth), toolCallId);
      // The client has the calls of the run itself, and those of sub-agents that emitted events.
      if (depth === 0 || hasInput(id)) outer.add(id);
    }
  }
  return [...outer].flatMap((toolCallId) => {
    const approvalId = automaticApprovalId(toolCallId);
    return [
      { type: 'tool-approval-request', approvalId, toolCallId, isAutomatic: true },
      { type: 'tool-approval-response', approvalId, approved: true },
    ] satisfies UiMessageChunk[];
  });
}

/** Returns the id of the automatic approval of a call to a sub-agent. No pending call has it. */
export function automaticApprovalId(toolCallId: string): string {
  return `auto:${toolCallId}`;
}

/** Returns the approval request of a pending call. `note` replaces the preview as its reason. */
export function approvalOf(call: PendingCall, note?: string): UiApprovalRequest {
  const reason = note ?? (typeof call.preview === 'string' ? call.preview : undefined);
  return {
    id: call.id,
    ...(reason !== undefined && { requestReason: reason }),
    descriptor: descriptorOf(call),
  };
}

/** Returns the question of a pending call as the input of its part. `problem` is the reason why an input was rejected. */
export function questionOf({ question, toolName }: PendingCall, problem?: string): UiQuestion {
  const { message, schema } = invariant(question, 'a call of the kind `question` has a question');
  return { message, schema, toolName, ...(problem !== undefined && { problem }) };
}

/** Returns the chunk that ends a call. */
export function outcomeChunk(
  toolCallId: string,
  outcome: ShownOutcome,
  providerExecuted?: true,
): UiToolOutputChunk {
  const native = providerExecuted && { providerExecuted };
  switch (outcome.kind) {
    case 'output':
      return { type: 'tool-output-available', toolCallId, output: outcome.output, ...native };
    case 'error':
      return { type: 'tool-output-error', toolCallId, errorText: outcome.errorText, ...native };
    case 'denied':
      return { type: 'tool-output-denied', toolCallId };
  }
}
