import type { OutboxRow } from '../../model/outbox-row.ts';
import type { EventStream } from './event-stream.ts';

/** Returns true if the client may read an event. */
export type MayReadEvent = (event: OutboxRow) => Promise<boolean>;

/** The maximum number of events that await `mayRead`. Then the client reconnects and continues after the last event. */
const MAX_PENDING = 1_000;

/** Sends the events that the client may read, in order. */
export class EventGate {
  readonly #stream: EventStream;
  readonly #mayRead: MayReadEvent | undefined;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(stream: EventStream, mayRead: MayReadEvent | undefined) {
    this.#stream = stream;
    this.#mayRead = mayRead;
  }

  /** Sends an event after all earlier ones. */
  send(event: OutboxRow, frame: string): void {
    if (this.#mayRead === undefined) return this.#stream.send(frame);
    this.#pending += 1;
    if (this.#pending > MAX_PENDING) return this.#stream.end();
    this.#last = this.#sendAfter(this.#last, event, frame, this.#mayRead);
  }

  /** Resolves when all events so far were sent or skipped. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #sendAfter(
    last: Promise<void>,
    event: OutboxRow,
    frame: string,
    mayRead: MayReadEvent,
  ): Promise<void> {
    await last;
    try {
      if (await mayRead(event)) this.#stream.send(frame);
    } catch {
      // The store failed. The client reconnects and continues after the last event.
      this.#stream.end();
    }
    this.#pending -= 1;
  }
}
