import { sseResponse } from '../../agent/server-sent-events.ts';
import { liveEnvironment } from '../../context/environment.ts';
import type { ChatListener } from './chat-backend.ts';

/** The time after which a disconnected client should reconnect, in milliseconds. */
const RETRY_MS = 2_000;
/** The time between two signs of an open connection, in milliseconds. Proxies close connections that are idle. */
const HEARTBEAT_MS = 15_000;

/** The changes of the conversations whose runs execute in this process. */
export class ChatChanges {
  readonly #listeners = new Map<string, Set<ChatListener>>();

  /** Notifies a listener of the changes of a conversation. Returns a function that stops it. */
  watch(conversationId: string, listener: ChatListener): () => void {
    const listeners = this.#listeners.get(conversationId) ?? new Set();
    this.#listeners.set(conversationId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(conversationId);
    };
  }

  notify(conversationId: string): void {
    for (const { onChange } of this.#listeners.get(conversationId) ?? []) onChange();
  }
}

/**
 * Returns a response with one server-sent event at the start, because the client may have missed a change, and one after
 * each change. Several changes may be one event.
 */
export async function changesResponse(
  watch: (listener: ChatListener) => Promise<() => void> | (() => void),
): Promise<Response> {
  let hasChanged = true;
  let hasEnded = false;
  let wake = () => {};
  const stop = await watch({
    onChange() {
      hasChanged = true;
      wake();
    },
    onEnd() {
      hasEnded = true;
      wake();
    },
  });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      },
      async pull(controller) {
        if (!hasChanged && !hasEnded) {
          const timer = new AbortController();
          wake = () => timer.abort();
          await liveEnvironment.sleep(HEARTBEAT_MS, timer.signal);
        }
        if (hasEnded) {
          stop();
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(hasChanged ? 'data: {}\n\n' : ':\n\n'));
        hasChanged = false;
      },
      cancel() {
        stop();
        // Ends the timer.
        wake();
      },
    },
    // A client that does not read receives many changes as one event.
    { highWaterMark: 0 },
  );
  return sseResponse(body);
}
