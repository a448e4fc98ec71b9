import type { UiMessageChunk } from './ui-message-chunk.ts';

/** The headers of the AI SDK's UI message stream. Proxies must not buffer it. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
};

/** A response that is being generated. It proceeds without its readers, and each reader receives all chunks. */
export class LiveResponse {
  readonly #chunks: UiMessageChunk[] = [];
  readonly #onAbandoned: (() => void) | undefined;
  #readers = 0;
  #isDone = false;
  #waiting: (() => void)[] = [];

  /** Takes a function that is called when the last reader leaves before the end. */
  constructor(onAbandoned?: () => void) {
    this.#onAbandoned = onAbandoned;
  }

  /** Reads chunks until the last one, which must not throw, and calls `onEnd` before a reader notices the end. */
  async drive(chunks: AsyncIterable<UiMessageChunk>, onEnd?: () => void): Promise<void> {
    for await (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#wake();
    }
    onEnd?.();
    this.#isDone = true;
    this.#wake();
  }

  /** Returns a response with all chunks. `prefix` follows the start of the message. */
  toResponse(prefix: readonly UiMessageChunk[] = []): Response {
    const encoder = new TextEncoder();
    let index = 0;
    this.#readers += 1;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (index === this.#chunks.length && !this.#isDone) await this.#next();
        const chunks = this.#chunks.slice(index);
        const isFirst = index === 0;
        index += chunks.length;
        const frames = isFirst ? [...chunks.slice(0, 1), ...prefix, ...chunks.slice(1)] : chunks;
        if (frames.length > 0) controller.enqueue(encoder.encode(frames.map(chunkFrame).join('')));
        if (!this.#isDone || index < this.#chunks.length) return;
        controller.enqueue(encoder.encode('data: [DONE]\n\n'));
        controller.close();
      },
      cancel: () => {
        this.#readers -= 1;
        if (this.#readers === 0 && !this.#isDone) this.#onAbandoned?.();
      },
    });
    return new Response(body, { headers: HEADERS });
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function chunkFrame(chunk: UiMessageChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
