import type { EventView } from '../views/event-view.ts';

/** A frame of a stream of server-sent events. */
export interface EventFrame<Event> {
  /** The id to resume after; missing if the client cannot resume here. */
  readonly id: string | undefined;
  readonly event: Event | undefined;
}

/** Options of a reader of server-sent events. */
export interface EventFrameOptions {
  /** Called for every chunk, also for heartbeats. */
  readonly onBytes?: (() => void) | undefined;
  /** Ends the reader. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads server-sent events from a body. */
export async function* eventFrames<Event = EventView>(
  body: ReadableStream<Uint8Array>,
  { onBytes = () => {}, signal }: EventFrameOptions = {},
): AsyncGenerator<EventFrame<Event>, void> {
  const reader = body.getReader();
  // A request may lose the connection to its signal once it has a response.
  const cancel = () => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted === true) cancel();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      text += decoder.decode(value, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) yield* frameOf(frame);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    // If the caller leaves the loop, the desk closes the stream.
    await reader.cancel().catch(() => {});
  }
}

/** Yields a frame with an event or with an id only. Other frames are heartbeats. */
function* frameOf<Event>(frame: string): Generator<EventFrame<Event>, void> {
  const fields = new Map(frame.split('\n').map((line) => [nameOf(line), valueOf(line)]));
  const [id, data] = [fields.get('id'), fields.get('data')];
  // The OpenAPI document of the desk promises this type.
  const event = data === undefined ? undefined : (JSON.parse(data) as Event);
  if (id !== undefined || event !== undefined) yield { id, event };
}

function nameOf(line: string): string {
  return line.slice(0, Math.max(line.indexOf(':'), 0));
}

function valueOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).trimStart();
}
