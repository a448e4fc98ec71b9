import type { EventView } from '@holdpoint/desk/client';
import { headersOf, type Mounted } from './site.ts';

export interface ReadEvent {
  /** The id to resume after. */
  readonly lastId: string;
  readonly event: EventView;
}

/** A reader of an event stream, event by event. */
export class EventReader {
  readonly status: number;
  readonly headers: Headers;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';
  #all = '';

  constructor(response: Response) {
    this.status = response.status;
    this.headers = response.headers;
    this.#reader = response.body!.getReader();
  }

  /** Returns the text so far. */
  get all(): string {
    return this.#all;
  }

  /** Returns the next event, or `undefined` at the end. */
  async next(): Promise<ReadEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end < 0) {
        if (!(await this.#read())) return undefined;
        continue;
      }
      const frame = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const [, lastId, data] = /^id: (.*)\nevent: .*\ndata: (.*)$/.exec(frame) ?? [];
      if (lastId !== undefined && data !== undefined) return { lastId, event: JSON.parse(data) };
    }
  }

  async take(count: number): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`The stream ended after ${events.length} events.`);
      events.push(event);
    }
    return events;
  }

  /** Waits for text that is not an event. */
  async waitFor(text: string): Promise<void> {
    while (!this.#all.includes(text)) {
      if (!(await this.#read())) throw new Error(`The stream ended before '${text}' came.`);
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    const text = this.#decoder.decode(value, { stream: true });
    this.#text += text;
    this.#all += text;
    return true;
  }
}

export async function openEvents(
  app: Mounted,
  who: string,
  lastEventId?: string | undefined,
): Promise<EventReader> {
  const headers = {
    ...headersOf(who),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  return new EventReader(await app.fetch(new Request('http://desk.test/v1/events', { headers })));
}
