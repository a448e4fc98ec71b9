import type { EventView } from '../views/event-view.ts';
import { DeskClientError } from './desk-client-error.ts';
import { eventFrames } from './event-frames.ts';

/** How long to wait before a connection is opened again, in milliseconds. */
const PAUSE_MS = 1_000;
/** How many ids are kept, since an event may be told again after a connection was lost. */
const MOST_KNOWN = 5_000;

const NO_EVENTS = () => new ReadableStream<Uint8Array>({ start: (stream) => stream.close() });

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
      for await (const { id, event } of eventFrames(body ?? NO_EVENTS())) {
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
