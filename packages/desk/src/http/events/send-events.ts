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
import type { EventFeed } from '../../stream/event-feed.ts';
import { EventGate, type MayReadEvent } from './event-gate.ts';
import type { EventStream } from './event-stream.ts';

/** The time after which a disconnected client should reconnect, in milliseconds. */
const RETRY_MS = 2_000;

/** The source of the events of a stream. */
export interface EventSource {
  readonly desk: Desk;
  readonly feed: EventFeed;
  readonly onError: ReportError;
  /** Selects the events that the client may read; all if missing. */
  readonly mayRead?: MayReadEvent | undefined;
}

/**
 * Sends events from now on, or after the last event that the client received. Returns a function that stops
 * it.
 */
export async function sendEvents(
  stream: EventStream,
  source: EventSource,
  lastEventId: string | undefined,
): Promise<() => void> {
  const last = readCursor({ after: lastEventId }, EVENT_ORDER);
  const gate = new EventGate(stream, source.mayRead);
  if (last === undefined) {
    const end = await source.feed.listen((event) => gate.send(event, frameOf(event)));
    // A client that is disconnected before the first event can resume here, too.
    stream.send(`id: ${source.feed.position}\nretry: ${RETRY_MS}\n\n`);
    return end;
  }
  stream.send(`retry: ${RETRY_MS}\n\n`);
  const catchUp = new CatchUp(stream, gate, last);
  const end = await source.feed.listen((event) => catchUp.sendLive(event));
  void catchUp.sendMissed(source.desk).catch((error: unknown) => {
    source.onError(error);
    // The client reconnects and continues after the last event.
    stream.end();
  });
  return end;
}

/** The maximum number of new events that are buffered while missed events are read. */
const MAX_BUFFERED = 1_000;

/** Sends the events that a client missed, and then those that occurred during that time. */
class CatchUp {
  readonly #stream: EventStream;
  readonly #gate: EventGate;
  /** The cursor of the last event that the client received. */
  readonly #seen: Cursor;
  /** The cursor of the last event that the client received or will receive. */
  #last: Cursor | undefined;
  /** Events that occurred while missed events were sent; `undefined` after that. */
  #meanwhile: OutboxRow[] | undefined = [];

  constructor(stream: EventStream, gate: EventGate, seen: Cursor) {
    this.#stream = stream;
    this.#gate = gate;
    this.#seen = seen;
  }

  sendLive(event: OutboxRow): void {
    if (this.#meanwhile === undefined) this.#sendNew(event);
    else if (this.#meanwhile.push(event) > MAX_BUFFERED) this.#stream.end();
  }

  async sendMissed(desk: Desk): Promise<void> {
    const latest = await desk.latestEvent();
    // A cursor beyond the latest event proves nothing about the events that the client received.
    if (latest !== undefined && compareCursors(this.#seen, positionOf(latest)) <= 0) {
      this.#last = this.#seen;
    }
    let after: string | undefined = cursorText(this.#seen);
    while (after !== undefined && !this.#stream.hasEnded) {
      const { items, next } = await desk.events({ after, limit: 200 });
      for (const event of items) this.#send(event);
      await this.#gate.settled();
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

/** Returns an event as text. The client resumes after its id. */
function frameOf(event: OutboxRow): string {
  return `id: ${eventCursor(event)}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventView(event))}\n\n`;
}
