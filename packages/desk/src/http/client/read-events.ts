import type { EventView } from '../views/event-view.ts';
import { DeskClientError } from './desk-client-error.ts';
import { eventFrames } from './event-frames.ts';

/** The pause before a connection is opened again, in milliseconds. */
const PAUSE_MS = 1_000;
/** The number of ids that are kept, since an event may be sent again after a lost connection. */
const MAX_KNOWN = 5_000;

const NO_EVENTS = () => new ReadableStream<Uint8Array>({ start: (stream) => stream.close() });

/** Yields each event once. A connection that ends is opened again after the last event. */
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
        addKnown(known, event.id);
        yield event;
      }
    } catch (error) {
      if (hasStopped()) return;
      if (isFinal(error)) throw error;
    }
    await pause(signal);
  }
}

/** Returns true if another attempt would fail, too. */
function isFinal(error: unknown): boolean {
  return error instanceof DeskClientError && error.status < 500 && error.status !== 429;
}

function addKnown(known: Set<string>, id: string): void {
  const [oldest = ''] = known;
  if (known.size >= MAX_KNOWN) known.delete(oldest);
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
