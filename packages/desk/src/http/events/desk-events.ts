import type { ReportError } from '../../errors/report-error.ts';
import type { Desk } from '../../desk/desk.ts';
import type { Caller } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';
import type { RunStreamViews } from '../views/run-stream-view.ts';
import type { MayReadEvent } from './event-gate.ts';
import { EventFeed } from '../../stream/event-feed.ts';
import { EventStream } from './event-stream.ts';
import { type StreamLimitOptions, StreamLimits } from './stream-limits.ts';
import { sendEvents } from './send-events.ts';
import { sendRun } from './send-run.ts';

/** A client that opens a stream. */
export interface EventClient {
  readonly desk: Desk;
  readonly caller: Caller;
  /** Selects the events that the client may read; all if missing. */
  readonly mayRead?: MayReadEvent | undefined;
}

/** A client that opens the stream of a run. */
export interface RunStreamClient {
  readonly desk: Desk;
  readonly caller: Caller;
  readonly runId: string;
  readonly continueWhenParked: boolean | undefined;
  /** The cursor of the last event that the client received. */
  readonly after: string | undefined;
  readonly views: RunStreamViews;
}

/** Limits and intervals of event streams. */
export interface DeskEventsOptions extends StreamLimitOptions {
  readonly heartbeatMs: number;
  readonly maxStreamMs: number;
  /** The interval at which the store is read for events of other processes, in milliseconds. */
  readonly pollMs: number;
  readonly onError: ReportError;
}

/** The event streams of a process. */
export class DeskEvents {
  readonly #options: DeskEventsOptions;
  readonly #limits: StreamLimits;
  readonly #feeds = new Map<string, EventFeed>();
  readonly #streams = new Set<EventStream>();
  readonly #waits = new Set<AbortController>();
  #isClosed = false;

  constructor(options: DeskEventsOptions) {
    this.#options = options;
    this.#limits = new StreamLimits(options);
  }

  /** Opens a stream of the events of the caller's tenant. */
  async open(
    { desk, caller, mayRead }: EventClient,
    lastEventId: string | undefined,
  ): Promise<ReadableStream<Uint8Array>> {
    let endListening = () => {};
    const stream = this.#newStream(caller, () => endListening());
    const feed = this.#feedOf(desk);
    endListening = () => this.#dropIdle(desk.tenant, feed);
    try {
      const source = { desk, feed, onError: this.#options.onError, mayRead };
      const end = await sendEvents(stream, source, lastEventId);
      endListening = () => {
        end();
        this.#dropIdle(desk.tenant, feed);
      };
      // The client may have disconnected.
      if (stream.hasEnded) endListening();
    } catch (error) {
      stream.end();
      throw error;
    }
    return stream.body;
  }

  /** Opens a stream of a run; returns `undefined` if the client has received all of it. */
  async openRun(client: RunStreamClient): Promise<ReadableStream<Uint8Array> | undefined> {
    const { desk, caller, runId, continueWhenParked, after, views } = client;
    const { pollMs, onError } = this.#options;
    const leaving = new AbortController();
    const stream = this.#newStream(caller, () => leaving.abort());
    try {
      const { signal } = leaving;
      const events = desk.stream(runId, { continueWhenParked, after, pollMs, signal });
      // The first event is available immediately. A rejected request gets its own status.
      const first = await events.next();
      if (first.done === true) {
        stream.end();
        return undefined;
      }
      void sendRun(stream, startingWith(first.value, events), views).catch((error: unknown) => {
        onError(error, { tenant: desk.tenant, runId });
        // The client reconnects and continues after the last event.
        stream.end();
      });
    } catch (error) {
      stream.end();
      throw error;
    }
    return stream.body;
  }

  #newStream(caller: Caller, onEnd: () => void): EventStream {
    if (this.#isClosed) throw closed();
    const { heartbeatMs, maxStreamMs } = this.#options;
    const release = this.#limits.take(caller);
    const stream = new EventStream({
      heartbeatMs,
      maxStreamMs,
      onEnd: () => {
        release();
        this.#streams.delete(stream);
        onEnd();
      },
    });
    this.#streams.add(stream);
    return stream;
  }

  /**
   * Counts a waiting response like a stream. Its signal aborts after the time or when the server
   * stops.
   */
  openWait(
    caller: Caller,
    leaving: AbortSignal,
    ms: number,
  ): { readonly signal: AbortSignal; readonly end: () => void } {
    if (this.#isClosed) throw closed();
    const release = this.#limits.take(caller);
    const stopping = new AbortController();
    this.#waits.add(stopping);
    // A timer takes whole milliseconds only.
    const timeIsOver = AbortSignal.timeout(Math.ceil(ms));
    const signal = AbortSignal.any([leaving, stopping.signal, timeIsOver]);
    const end = () => {
      release();
      this.#waits.delete(stopping);
    };
    return { signal, end };
  }

  /** True after `close`. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends all streams and opens no other. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end();
    for (const waiting of this.#waits) waiting.abort();
  }

  /** The number of feeds: one for each tenant that has a stream. */
  get feedCount(): number {
    return this.#feeds.size;
  }

  #dropIdle(tenant: string, feed: EventFeed): void {
    if (feed.isIdle && this.#feeds.get(tenant) === feed) this.#feeds.delete(tenant);
  }

  #feedOf(desk: Desk): EventFeed {
    const { pollMs, onError } = this.#options;
    let feed = this.#feeds.get(desk.tenant);
    if (feed === undefined) {
      feed = new EventFeed(desk, pollMs, onError);
      this.#feeds.set(desk.tenant, feed);
    }
    return feed;
  }
}

async function* startingWith<Item>(
  first: Item,
  rest: AsyncGenerator<Item, void>,
): AsyncGenerator<Item, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

function closed(): HttpProblem {
  return new HttpProblem({
    status: 503,
    code: 'closed',
    message: 'The server is shutting down. Connect again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
