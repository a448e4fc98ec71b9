import type { EventView } from '../views/event-view.ts';
import type { RunStreamView } from '../views/run-stream-view.ts';
import { DeskClientError } from './desk-client-error.ts';
import { eventFrames } from './event-frames.ts';

/** The pause before a connection is opened again, in milliseconds. */
const PAUSE_MS = 1_000;
/** The number of ids that are kept, since an event may be sent again after a lost connection. */
const MAX_KNOWN = 5_000;

const NO_EVENTS = () => new ReadableStream<Uint8Array>({ start: (stream) => stream.close() });

/** Sends a request for a stream. */
type SendRequest = (init: RequestInit) => Promise<Response>;

/** Yields each event once. A connection that ends is opened again after the last event. */
export async function* readEvents(
  send: SendRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventView, void> {
  const known = new Set<string>();
  for await (const event of readStream<EventView>(send, { signal })) {
    if (known.has(event.id)) continue;
    addKnown(known, event.id);
    yield event;
  }
}

/** Options of the stream of a run. */
export interface ClientStreamOptions {
  /** The `cursor` of the last event that the reader processed. The stream resumes after it. */
  readonly after?: string | undefined;
  /** Set it to keep the stream open while the run is parked or stuck. */
  readonly continueWhenParked?: boolean | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** The states of a run after which its stream ends. */
const OVER: ReadonlySet<string> = new Set(['finished', 'failed', 'cancelled']);
const PAUSED: ReadonlySet<string> = new Set(['parked', 'stuck']);

/** Yields the events of a run until it ends or parks. A connection that ends before is opened again. */
export async function* readRunStream(
  send: SendRequest,
  { continueWhenParked = false, ...options }: ClientStreamOptions,
): AsyncGenerator<RunStreamView, void> {
  for await (const event of readStream<RunStreamView>(send, options)) {
    yield event;
    if (event.kind !== 'state') continue;
    const { state } = event.run;
    if (OVER.has(state) || (PAUSED.has(state) && !continueWhenParked)) return;
  }
}

/** Yields the events of a stream, and opens a connection that ends again, until the server reports the end. */
async function* readStream<Event>(
  send: SendRequest,
  {
    signal,
    after,
  }: { readonly signal?: AbortSignal | undefined; readonly after?: string | undefined },
): AsyncGenerator<Event, void> {
  const hasStopped = () => signal?.aborted === true;
  let lastId = after;
  while (!hasStopped()) {
    try {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const { body, status } = await send({ headers, signal: signal ?? null });
      if (status === 204) return;
      for await (const { id, event } of eventFrames<Event>(body ?? NO_EVENTS(), { signal })) {
        lastId = id ?? lastId;
        if (event !== undefined) yield event;
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
