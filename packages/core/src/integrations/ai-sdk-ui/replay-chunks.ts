import type { UiMessage, UiPart } from './ui-message.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

type ToolPart = Extract<UiPart, { readonly toolCallId: string }>;

/** Returns the chunks that build a stored message in a client that has none of its parts, without start and finish. */
export function replayChunks(message: UiMessage): UiMessageChunk[] {
  return replayParts(message.id, message.parts);
}

/**
 * Returns the chunks that bring a client up to date that has the first steps of a message. Calls of those steps get their
 * outcomes; later steps are added.
 */
export function catchUpChunks(message: UiMessage, knownSteps: number): UiMessageChunk[] {
  let step = 0;
  const index = message.parts.findIndex(
    (part) => part.type === 'step-start' && ++step > knownSteps,
  );
  const end = index === -1 ? message.parts.length : index;
  const settled = message.parts
    .slice(0, end)
    .flatMap((part) => ('toolCallId' in part ? settleChunks(part) : []));
  return [...settled, ...replayParts(message.id, message.parts.slice(end))];
}

function replayParts(messageId: string, parts: readonly UiPart[]): UiMessageChunk[] {
  const chunks: UiMessageChunk[] = [];
  let isStepOpen = false;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'step-start') {
      if (isStepOpen) chunks.push({ type: 'finish-step' });
      isStepOpen = true;
    }
    chunks.push(...partChunks(part, `${messageId}.stored.${index}`));
  }
  if (isStepOpen) chunks.push({ type: 'finish-step' });
  return chunks;
}

function partChunks(part: UiPart, id: string): UiMessageChunk[] {
  if ('toolCallId' in part) return [...inputChunks(part), ...settleChunks(part)];
  switch (part.type) {
    case 'step-start':
      return [{ type: 'start-step' }];
    case 'text':
    case 'reasoning':
      return [
        { type: `${part.type}-start`, id },
        { type: `${part.type}-delta`, id, delta: part.text },
        { type: `${part.type}-end`, id },
      ];
    default:
      return [part];
  }
}

/**
 * Returns the chunks for the input of a call. `tool-input-available` calls `onToolCall` of the client, which must not
 * happen again for a call that the client is not to execute.
 */
function inputChunks(part: ToolPart): UiMessageChunk[] {
  const { toolCallId, providerExecuted, input } = part;
  const call = {
    toolCallId,
    toolName: part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length),
    ...(part.type === 'dynamic-tool' && {
      dynamic: true,
      ...(part.title && { title: part.title }),
    }),
    ...(providerExecuted && { providerExecuted }),
  };
  if (part.state === 'input-available') return [{ type: 'tool-input-available', ...call, input }];
  return [
    { type: 'tool-input-start', ...call },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) ?? '' },
  ];
}

/** Returns the chunks for the state of a call beyond its input. */
function settleChunks(part: ToolPart): UiMessageChunk[] {
  const { toolCallId } = part;
  switch (part.state) {
    case 'input-available':
      return [];
    case 'approval-requested':
    case 'approval-responded': {
      const { id: approvalId, requestReason, descriptor, isAutomatic } = part.approval;
      const request: UiMessageChunk = {
        type: 'tool-approval-request',
        approvalId,
        toolCallId,
        ...(requestReason !== undefined && { reason: requestReason }),
        ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
        ...(isAutomatic && { isAutomatic }),
      };
      if (part.state === 'approval-requested') return [request];
      const { approved } = part.approval;
      return [request, { type: 'tool-approval-response', approvalId, approved }];
    }
    case 'output-available':
      return [{ type: 'tool-output-available', toolCallId, output: part.output }];
    case 'output-error':
      return [{ type: 'tool-output-error', toolCallId, errorText: part.errorText }];
    case 'output-denied':
      return [{ type: 'tool-output-denied', toolCallId }];
  }
}
