import { endWithoutLoop } from './end-without-loop.ts';
import { LiveResponse } from './live-response.ts';
import type { UiMessage } from './ui-message.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

/** Returns a response that shows the state of a message without executing a run. `decided` has the calls that the client shows as decided. */
export function storedResponse(
  message: UiMessage,
  chunks: readonly UiMessageChunk[],
  decided: readonly string[] = [],
): Response {
  const live = new LiveResponse();
  // The chunks exist already, so this promise never rejects.
  void live.drive(endWithoutLoop(wholeStream(message, chunks), decided));
  return live.toResponse();
}

async function* wholeStream(
  message: UiMessage,
  chunks: readonly UiMessageChunk[],
): AsyncGenerator<UiMessageChunk, void, void> {
  yield { type: 'start', messageId: message.id };
  yield* chunks;
  const calls = callsOfLastStep(message);
  const isPending = calls.some(({ state }) => PENDING.has(state));
  // A client that sends the results of all calls by itself would send them again.
  const isRepeated = calls.length > 0 && !isPending;
  const finishReason = isPending ? 'tool-calls' : isRepeated ? 'interrupted' : 'stop';
  yield { type: 'finish', finishReason };
}

const PENDING: ReadonlySet<string> = new Set(['input-available', 'approval-requested']);

function callsOfLastStep({ parts }: UiMessage): { readonly state: string }[] {
  const start = parts.findLastIndex(({ type }) => type === 'step-start');
  return parts.slice(start + 1).filter((part) => 'toolCallId' in part);
}
