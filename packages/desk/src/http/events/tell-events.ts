import type { ReportError } from '../../errors/report-error.ts';
import type { Desk } from '../../desk/desk.ts';
import type { OutboxRow } from '../../model/outbox-row.ts';
import { cursorOf, cursorText, EVENT_ORDER, readCursor } from '../../model/page.ts';
import { eventView } from '../views/event-view.ts';
import { type EventFeed, LATE_MS } from './event-feed.ts';
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
  const last = lastEventId === undefined ? undefined : lastSeen(lastEventId);
  const gate = new EventGate(stream, source.mayRead);
  if (last === undefined) {
    const end = await source.feed.listen((event) => gate.send(event, frameOf(event)));
    // A client whose connection ends before anything has happened knows where to go on, too.
    stream.send(`id: ${source.feed.position}\nretry: ${RETRY_MS}\n\n`);
    return end;
  }
  stream.send(`retry: ${RETRY_MS}\n\n`);
  const catchUp = new CatchUp(stream, gate, last);
  const end = await source.feed.listen((event) => catchUp.tellLive(event));
  void catchUp.tellMissed(source.desk).catch((error: unknown) => {
    source.onError(error);
    // The client comes again, and goes on where it was.
    stream.end();
  });
  return end;
}

interface LastSeen {
  readonly id: string;
  /** From where on events are sent: some that the client has seen are sent again, none is left out. */
  readonly from: string;
}

function lastSeen(lastEventId: string): LastSeen {
  const [at, id] = readCursor({ after: lastEventId }, EVENT_ORDER) ?? [];
  return { id: String(id), from: cursorText([Math.max(Number(at) - LATE_MS, 0), '']) };
}

/** How many ids are kept so that no event is sent twice, and how many events while others are read. */
const MOST_KEPT = 1_000;

/** What a client has missed, and what happens while it is read. */
class CatchUp {
  readonly #stream: EventStream;
  readonly #gate: EventGate;
  readonly #from: string;
  readonly #told: Set<string>;
  /** What has happened meanwhile; `undefined` once everything was read. */
  #meanwhile: OutboxRow[] | undefined = [];

  constructor(stream: EventStream, gate: EventGate, { id, from }: LastSeen) {
    this.#stream = stream;
    this.#gate = gate;
    this.#from = from;
    this.#told = new Set([id]);
  }

  tellLive(event: OutboxRow): void {
    if (this.#meanwhile === undefined) this.#tellOnce(event);
    else if (this.#meanwhile.push(event) > MOST_KEPT) this.#stream.end();
  }

  async tellMissed(desk: Desk): Promise<void> {
    let after: string | undefined = this.#from;
    while (after !== undefined && !this.#stream.hasEnded) {
      const { items, next } = await desk.events({ after, limit: 200 });
      for (const event of items) this.#tellOnce(event);
      await this.#gate.decided();
      await this.#stream.drained();
      after = next;
    }
    for (const event of this.#meanwhile ?? []) this.#tellOnce(event);
    this.#meanwhile = undefined;
  }

  #tellOnce(event: OutboxRow): void {
    if (this.#told.has(event.id)) return;
    const [oldest = ''] = this.#told;
    if (this.#told.size >= MOST_KEPT) this.#told.delete(oldest);
    this.#told.add(event.id);
    this.#gate.send(event, frameOf(event));
  }
}

/** An event as the client gets it; its id is where to go on. */
function frameOf(event: OutboxRow): string {
  const id = cursorText(cursorOf(event, EVENT_ORDER));
  return `id: ${id}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventView(event))}\n\n`;
}
