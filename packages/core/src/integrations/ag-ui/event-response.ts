import { sseResponse } from '../../agent/server-sent-events.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

/**
 * Returns a response with events. The events proceed without the client, so that a run does not stop halfway because a
 * connection broke. `onLeave` is called if the client leaves before the end.
 */
export function eventResponse(events: AsyncIterable<AgUiEvent>, onLeave?: () => void): Response {
  const encoder = new TextEncoder();
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      void send(controller);
    },
    cancel() {
      isOpen = false;
      onLeave?.();
    },
  });
  return sseResponse(body);

  async function send(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for await (const event of events) {
        if (isOpen) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      }
      if (isOpen) controller.close();
    } catch (error) {
      // Only `onError` of the application can throw here. The connection breaks off.
      if (isOpen) controller.error(error);
    }
  }
}
