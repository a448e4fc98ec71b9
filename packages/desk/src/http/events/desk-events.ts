import type { ReportError } from '../../errors/report-error.ts';
import type { Desk } from '../../desk/desk.ts';
import type { Caller } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';
import type { MayReadEvent } from './event-gate.ts';
import { EventFeed } from './event-feed.ts';
import { EventStream } from './event-stream.ts';
import { type StreamLimitOptions, StreamLimits } from './stream-limits.ts';
import { sendEvents } from './send-events.ts';

/** A client that opens a stream. */
export interface EventClient {
  readonly desk: Desk;
  readonly caller: Caller;
  /** Selects the events that the client may read; all if missing. */
  readonly mayRead?: MayReadEvent | undefined;
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
    if (this.#isClosed) throw closed();
    const { heartbeatMs, maxStreamMs, onError } = this.#options;
    const release = this.#limits.take(caller);
    const feed = this.#feedOf(desk);
    let endListening = () => {};
    const stream = new EventStream({
      heartbeatMs,
      maxStreamMs,
      onEnd: () => {
        release();
        endListening();
        this.#streams.delete(stream);
        this.#dropIdle(desk.tenant, feed);
      },
    });
    this.#streams.add(stream);
    try {
      const source = { desk, feed, onError, mayRead };
      const end = await sendEvents(stream, source, lastEventId);
      // The client may have disconnected meanwhile.
      if (stream.hasEnded) {
        end();
        this.#dropIdle(desk.tenant, feed);
      } else endListening = end;
    } catch (error) {
      stream.end();
      throw error;
    }
    return stream.body;
  }

  /** Ends all streams and opens no other. */
  /** True after `close`. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end();
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

function closed(): HttpProblem {
  return new HttpProblem({
    status: 503,
    code: 'closed',
    message: 'The server is shutting down. Connect again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
