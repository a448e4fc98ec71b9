import type { EventView } from '../views/event-view.ts';
import { DeskClientError } from './desk-client-error.ts';

/** How long to wait before a connection is opened again, in milliseconds. */
const PAUSE_MS = 1_000;
/** How many ids are kept, since an event may be told again after a connection was lost. */
const MOST_KNOWN = 5_000;

/** Reads events, each once; a connection that ends is opened again where it was. */
export async function* readEvents(
  send: (init: RequestInit) => Promise<Response>,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventView, void> {
  const known = new Set<string>();
  const hasStopped = () => signal?.aborted === true;
  let lastId: string | undefined;
  while (!hasStopped()) {
    try {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const { body } = await send({ headers, signal: signal ?? null });
      for await (const { id, event } of framesOf(body)) {
        lastId = id;
        if (event === undefined || known.has(event.id)) continue;
        remember(known, event.id);
        yield event;
      }
    } catch (error) {
      if (hasStopped()) return;
      if (isFinal(error)) throw error;
    }
    await pause(signal);
  }
}

/** Whether it would come to the same to ask again. */
function isFinal(error: unknown): boolean {
  return error instanceof DeskClientError && error.status < 500 && error.status !== 429;
}

function remember(known: Set<string>, id: string): void {
  const [oldest = ''] = known;
  if (known.size >= MOST_KNOWN) known.delete(oldest);
  known.add(id);
}

interface Frame {
  /** Where to go on after it. */
  readonly id: string;
  readonly event: EventView | undefined;
}

async function* framesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Frame, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
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
function* frameOf(frame: string): Generator<Frame, void> {
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

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, PAUSE_MS);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
    if (signal?.aborted === true) done();
  });
}
