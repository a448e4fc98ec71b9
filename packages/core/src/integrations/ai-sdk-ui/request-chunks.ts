import type { PendingCall } from '../../deferred/pending-call.ts';
import type { CallIds } from './call-ids.ts';
import { approvalOf, inputOfPending, titleOf } from './call-values.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

/** The parts of the message in the client, as far as the requests depend on them. */
export interface ShownCalls {
  readonly ids: CallIds;
  /** Returns whether the client has the input of a call. */
  readonly hasInput: (id: string) => boolean;
}

/** Returns the chunks that show pending calls. */
export function requestChunks(calls: Iterable<PendingCall>, shown: ShownCalls): UiMessageChunk[] {
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
  return [...chunks, ...automaticApprovals(pending, shown), ...approvalChunks(pending, shown.ids)];
}

/**
 * Returns the chunks that request approval of calls. For a call that the client shows as decided, they request it again.
 * `noteOf` returns a reason that replaces the preview of a call.
 */
export function approvalChunks(
  calls: Iterable<PendingCall>,
  ids: CallIds,
  noteOf?: (call: PendingCall) => string | undefined,
): UiMessageChunk[] {
  return [...calls]
    .filter(({ kind }) => kind === 'approval')
    .map((call) => approvalChunk(call, ids, noteOf?.(call)));
}

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
function automaticApprovals(
  calls: readonly PendingCall[],
  { ids, hasInput }: ShownCalls,
): UiMessageChunk[] {
  const outer = new Set<string>();
  for (const { path } of calls) {
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
