import type { UiMessageChunk } from './ui-message-chunk.ts';

/**
 * Yields chunks, and ends them so that the client does not send its messages again by itself.
 *
 * `useChat` evaluates `sendAutomaticallyWhen` when a stream ends. If a call of the last step is still decided and has
 * neither a result nor a new request, the client would send the same decision again, without end. `interrupted` prevents
 * that. `decided` has the calls that the client shows as decided; some of them may not exist.
 */
export async function* endWithoutLoop(
  chunks: AsyncIterable<UiMessageChunk>,
  decided: readonly string[],
): AsyncGenerator<UiMessageChunk, void, void> {
  const unsettled = new Set(decided);
  for await (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        // The client considers the calls of the last step only.
        unsettled.clear();
        break;
      case 'tool-approval-response':
        break;
      default:
        if ('toolCallId' in chunk) unsettled.delete(chunk.toolCallId);
    }
    const isLoop = chunk.type === 'finish' && unsettled.size > 0;
    yield isLoop ? { ...chunk, finishReason: 'interrupted' } : chunk;
  }
}
