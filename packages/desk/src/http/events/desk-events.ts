import type { ReportError } from '../../errors/report-error.ts';
import type { Desk } from '../../desk/desk.ts';
import type { Caller } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';
import type { MayReadEvent } from './event-gate.ts';
import { EventFeed } from './event-feed.ts';
import { EventStream } from './event-stream.ts';
import { type StreamLimitOptions, StreamLimits } from './stream-limits.ts';
import { tellEvents } from './tell-events.ts';

/** A client that opens a stream. */
export interface EventClient {
  readonly desk: Desk;
  readonly caller: Caller;
  /** Decides which events the client sees; all unless given. */
  readonly mayRead?: MayReadEvent | undefined;
}

/** How event streams behave. */
export interface DeskEventsOptions extends StreamLimitOptions {
  readonly heartbeatMs: number;
  readonly longestMs: number;
  /** How often the store is looked at for what other processes have done, in milliseconds. */
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

  /** Opens a stream of what happens in the tenant of whoever asks. */
  async open(
    { desk, caller, mayRead }: EventClient,
    lastEventId: string | undefined,
  ): Promise<ReadableStream<Uint8Array>> {
    if (this.#isClosed) throw closed();
    const { heartbeatMs, longestMs, onError } = this.#options;
    const giveBack = this.#limits.take(caller);
    const feed = this.#feedOf(desk);
    let endListening = () => {};
    const stream = new EventStream({
      heartbeatMs,
      longestMs,
      onEnd: () => {
        giveBack();
        endListening();
        this.#streams.delete(stream);
        this.#dropIdle(desk.tenant, feed);
      },
    });
    this.#streams.add(stream);
    try {
      const source = { desk, feed, onError, mayRead };
      const end = await tellEvents(stream, source, lastEventId);
      // It may have ended while nobody was listening yet.
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

  /** Ends all streams; no other is opened. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end();
  }

  /** How many feeds there are: one for each tenant that has a stream. */
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
    message: 'This server is about to end. Come again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
