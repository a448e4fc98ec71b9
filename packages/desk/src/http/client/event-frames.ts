import type { EventView } from '../views/event-view.ts';

/** What a stream of server-sent events says at a time. */
export interface EventFrame {
  /** Where to go on after it. */
  readonly id: string;
  readonly event: EventView | undefined;
}

/** Reads server-sent events from a body as it comes in; `onBytes` hears of every sign of life. */
export async function* eventFrames(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<EventFrame, void> {
  const reader = body.getReader();
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
    // Whoever has enough leaves the loop; the desk should know.
    await reader.cancel().catch(() => {});
  }
}

/** A frame with an event, or with a place only; others are signs of life. */
function* frameOf(frame: string): Generator<EventFrame, void> {
  const fields = new Map(frame.split('\n').map((line) => [nameOf(line), valueOf(line)]));
  const [id, data] = [fields.get('id'), fields.get('data')];
  // The desk says in its OpenAPI document that it is this.
  const event = data === undefined ? undefined : (JSON.parse(data) as EventView);
  if (id !== undefined) yield { id, event };
}

function nameOf(line: string): string {
  return line.slice(0, Math.max(line.indexOf(':'), 0));
}

function valueOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).trimStart();
}
