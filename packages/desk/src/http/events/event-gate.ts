import type { OutboxRow } from '../../model/outbox-row.ts';
import type { EventStream } from './event-stream.ts';

/** Returns true if the client may see an event. */
export type MayReadEvent = (event: OutboxRow) => Promise<boolean>;

/** How many events may wait for a decision; the client reconnects and continues where it was. */
const MAX_WAITING = 1_000;

/** Sends the events that the client may see, in the order in which they come. */
export class EventGate {
  readonly #stream: EventStream;
  readonly #mayRead: MayReadEvent | undefined;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(stream: EventStream, mayRead: MayReadEvent | undefined) {
    this.#stream = stream;
    this.#mayRead = mayRead;
  }

  /** Sends an event after those before it. */
  send(event: OutboxRow, frame: string): void {
    if (this.#mayRead === undefined) return this.#stream.send(frame);
    this.#waiting += 1;
    if (this.#waiting > MAX_WAITING) return this.#stream.end();
    this.#last = this.#sendAfter(this.#last, event, frame, this.#mayRead);
  }

  /** Resolves when all events so far were decided about. */
  decided(): Promise<void> {
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
      // The store failed. The client reconnects and continues where it was.
      this.#stream.end();
    }
    this.#waiting -= 1;
  }
}
