import type { PendingCall } from '../../deferred/pending-call.ts';
import type { CallIds } from './call-ids.ts';
import { approvalOf, inputOfPending, titleOf } from './call-values.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

/** The parts of the message in the client, as far as the requests depend on them. */
export interface ShownCalls {
  readonly ids: CallIds;
  /** Returns whether the client has the input of a call. */
  hasInput(id: string): boolean;
}

/** Returns the chunks that show pending calls. `noteOf` returns a reason that replaces the preview of a call. */
export function requestChunks(
  calls: Iterable<PendingCall>,
  shown: ShownCalls,
  noteOf?: (call: PendingCall) => string | undefined,
): UiMessageChunk[] {
  const pending = [...calls];
  const chunks: UiMessageChunk[] = [];
  for (const call of pending) {
    const toolCallId = shown.ids.ofPending(call);
    if (shown.hasInput(toolCallId)) continue;
    const { toolName, path } = call;
    const nested = path.length > 0 && { dynamic: true, title: titleOf(path) };
    const input = inputOfPending(call);
    chunks.push({ type: 'tool-input-available', toolCallId, toolName, input, ...nested });
  }
  chunks.push(...automaticApprovals(pending, shown.ids));
  for (const call of pending) {
    if (call.kind === 'approval') chunks.push(approvalChunk(call, shown.ids, noteOf?.(call)));
  }
  return chunks;
}

/** Returns the chunk that requests approval of a call. A second one for the same call replaces its decision. */
function approvalChunk(call: PendingCall, ids: CallIds, note?: string): UiMessageChunk {
  const { id, requestReason, descriptor } = approvalOf(call, note);
  return {
    type: 'tool-approval-request',
    approvalId: id,
    toolCallId: ids.ofPending(call),
    ...(requestReason !== undefined && { reason: requestReason }),
    ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
  };
}

/**
 * Returns chunks that mark the outer calls of sub-agents as approved automatically. `useChat` sends decisions only when
 * every call of a step has one, and the outer calls need none.
 */
function automaticApprovals(calls: readonly PendingCall[], ids: CallIds): UiMessageChunk[] {
  const outer = new Set(calls.flatMap(({ path }) => path.slice(0, 1).map((one) => one.toolCallId)));
  return [...outer].flatMap((toolCallId) => {
    const id = ids.of(toolCallId);
    const approvalId = automaticApprovalId(id);
    return [
      { type: 'tool-approval-request', approvalId, toolCallId: id, isAutomatic: true },
      { type: 'tool-approval-response', approvalId, approved: true },
    ] satisfies UiMessageChunk[];
  });
}

/** Returns the id of the automatic approval of a call to a sub-agent. No pending call has it. */
export function automaticApprovalId(toolCallId: string): string {
  return `auto:${toolCallId}`;
}
