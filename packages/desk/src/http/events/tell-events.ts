import type { ReportError } from '../../errors/report-error.ts';
import type { Desk } from '../../desk/desk.ts';
import type { OutboxRow } from '../../model/outbox-row.ts';
import {
  type Cursor,
  compareCursors,
  cursorOf,
  cursorText,
  EVENT_ORDER,
  eventCursor,
  readCursor,
} from '../../model/page.ts';
import { eventView } from '../views/event-view.ts';
import type { EventFeed } from './event-feed.ts';
import { EventGate, type MayReadEvent } from './event-gate.ts';
import type { EventStream } from './event-stream.ts';

/** After how long a client that has lost its connection should come again, in milliseconds. */
const RETRY_MS = 2_000;

/** Where a stream gets its events from. */
export interface EventSource {
  readonly desk: Desk;
  readonly feed: EventFeed;
  readonly onError: ReportError;
  /** Decides which events the client sees; all unless given. */
  readonly mayRead?: MayReadEvent | undefined;
}

/**
 * Sends what happens from now on; or from the event on that the client has seen last. Gives the function
 * that ends it.
 */
export async function tellEvents(
  stream: EventStream,
  source: EventSource,
  lastEventId: string | undefined,
): Promise<() => void> {
  const last = readCursor({ after: lastEventId }, EVENT_ORDER);
  const gate = new EventGate(stream, source.mayRead);
  if (last === undefined) {
    const end = await source.feed.listen((event) => gate.send(event, frameOf(event)));
    // A client whose connection ends before anything has happened knows where to go on, too.
    stream.send(`id: ${source.feed.position}\nretry: ${RETRY_MS}\n\n`);
    return end;
  }
  stream.send(`retry: ${RETRY_MS}\n\n`);
  const catchUp = new CatchUp(stream, gate, last);
  const end = await source.feed.listen((event) => catchUp.sendLive(event));
  void catchUp.sendMissed(source.desk).catch((error: unknown) => {
    source.onError(error);
    // The client comes again, and goes on where it was.
    stream.end();
  });
  return end;
}

/** How many events are kept while others are read. */
const MAX_KEPT = 1_000;

/** What a client has missed, and what happens while it is read. */
class CatchUp {
  readonly #stream: EventStream;
  readonly #gate: EventGate;
  /** The event that the client has seen last. */
  readonly #seen: Cursor;
  /** The last event of which it is known that the client has it, or will get it. */
  #last: Cursor | undefined;
  /** What has happened meanwhile; `undefined` once everything was read. */
  #meanwhile: OutboxRow[] | undefined = [];

  constructor(stream: EventStream, gate: EventGate, seen: Cursor) {
    this.#stream = stream;
    this.#gate = gate;
    this.#seen = seen;
  }

  sendLive(event: OutboxRow): void {
    if (this.#meanwhile === undefined) this.#sendNew(event);
    else if (this.#meanwhile.push(event) > MAX_KEPT) this.#stream.end();
  }

  async sendMissed(desk: Desk): Promise<void> {
    const latest = await desk.latestEvent();
    // A place that no event has reached yet says nothing about what the client has seen.
    if (latest !== undefined && compareCursors(this.#seen, positionOf(latest)) <= 0) {
      this.#last = this.#seen;
    }
    let after: string | undefined = cursorText(this.#seen);
    while (after !== undefined && !this.#stream.hasEnded) {
      const { items, next } = await desk.events({ after, limit: 200 });
      for (const event of items) this.#send(event);
      await this.#gate.decided();
      await this.#stream.drained();
      after = next;
    }
    for (const event of this.#meanwhile ?? []) this.#sendNew(event);
    this.#meanwhile = undefined;
  }

  #sendNew(event: OutboxRow): void {
    if (this.#last !== undefined && compareCursors(positionOf(event), this.#last) <= 0) return;
    this.#send(event);
  }

  #send(event: OutboxRow): void {
    this.#last = positionOf(event);
    this.#gate.send(event, frameOf(event));
  }
}

function positionOf(event: OutboxRow): Cursor {
  return cursorOf(event, EVENT_ORDER);
}

/** An event as the client gets it; its id is where to go on. */
function frameOf(event: OutboxRow): string {
  return `id: ${eventCursor(event)}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventView(event))}\n\n`;
}
