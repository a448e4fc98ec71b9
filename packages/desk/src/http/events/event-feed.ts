import type { ReportError } from '../../errors/report-error.ts';
import type { Desk } from '../../desk/desk.ts';
import { cursorText } from '../../model/page.ts';
import type { OutboxRow } from '../../model/outbox-row.ts';

/**
 * What is read again: an event has its time before its transaction ends, so one may be seen after others
 * that are later than it.
 */
export const LATE_MS = 2_000;
/** Things often happen together: those of so many milliseconds are read at once. */
const TOGETHER_MS = 50;

/** Told of something that has happened. */
export type EventListener = (event: OutboxRow) => void;

/** What happens in a tenant, read once for all who listen, and only while somebody does. */
export class EventFeed {
  readonly #desk: Desk;
  readonly #pollMs: number;
  readonly #onError: ReportError;
  readonly #listeners = new Set<EventListener>();
  /** The times of events that were told, or were there before, by their ids. */
  readonly #known = new Map<string, number>();
  #head = 0;
  #started: Promise<void> | undefined;
  /** Whether something may have happened since the last look. */
  #hasChanged = false;
  #wake: () => void = () => {};

  constructor(desk: Desk, pollMs: number, onError: ReportError) {
    this.#desk = desk;
    this.#pollMs = pollMs;
    this.#onError = onError;
  }

  /** Where the last event lies that was told: whoever goes on from there misses none. */
  get position(): string {
    return cursorText([this.#head, '']);
  }

  /** Tells a listener of all that happens once this has returned; gives the function that ends it. */
  async listen(listener: EventListener): Promise<() => void> {
    this.#listeners.add(listener);
    const end = () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#wake();
    };
    try {
      this.#started ??= this.#start();
      await this.#started;
    } catch (error) {
      this.#started = undefined;
      end();
      throw error;
    }
    return end;
  }

  /** Takes note of what is there, and begins to read what comes. */
  async #start(): Promise<void> {
    this.#head = (await this.#desk.latestEvent())?.at ?? 0;
    this.#known.clear();
    await this.#read(() => {});
    void this.#keepReading();
  }

  async #keepReading(): Promise<void> {
    const forget = this.#desk.onChange(() => {
      this.#hasChanged = true;
      this.#wake();
    });
    try {
      while (this.#listeners.size > 0) {
        await this.#nap();
        if (this.#listeners.size > 0) await this.#readAndTell();
      }
    } finally {
      forget();
      this.#started = undefined;
    }
  }

  /** A store that fails for a while does not end the feed. */
  async #readAndTell(): Promise<void> {
    try {
      await this.#read((event) => {
        for (const listener of this.#listeners) listener(event);
      });
    } catch (error) {
      this.#onError(error);
    }
  }

  async #read(tell: EventListener): Promise<void> {
    let after: string | undefined = cursorText([this.#head - LATE_MS, '']);
    while (after !== undefined) {
      const { items, next } = await this.#desk.events({ after, limit: 500 });
      for (const event of items) {
        if (this.#known.has(event.id)) continue;
        this.#known.set(event.id, event.at);
        this.#head = Math.max(this.#head, event.at);
        tell(event);
      }
      after = next;
    }
    for (const [id, at] of this.#known) if (at < this.#head - LATE_MS) this.#known.delete(id);
  }

  /** Waits until something may have happened. */
  async #nap(): Promise<void> {
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#pollMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = () => {};
    }
    await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    this.#hasChanged = false;
  }
}
