import type { EventView } from '../client/types.ts';

/** Reads server-sent events from a body as it comes in; `onBytes` hears of every sign of life. */
export async function* eventFrames(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<EventView, void> {
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
      for (const frame of frames) yield* eventIn(frame);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function* eventIn(frame: string): Generator<EventView, void> {
  const data = frame.split('\n').find((line) => line.startsWith('data:'));
  // The desk says in its OpenAPI document that it is this.
  if (data !== undefined) yield JSON.parse(data.slice('data:'.length)) as EventView;
}
