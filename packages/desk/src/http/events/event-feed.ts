import type { ReportError } from '../../errors/report-error.ts';
import type { Desk } from '../../desk/desk.ts';
import { cursorText, eventCursor } from '../../model/page.ts';
import type { OutboxRow } from '../../model/outbox-row.ts';

/** Things often happen together: those of so many milliseconds are read at once. */
const TOGETHER_MS = 50;
/** How often to look for events that the store withholds, in milliseconds. */
const WITHHELD_MS = 100;
/** The place before the first event. */
const BEGINNING = cursorText([0, 0]);

/** Notified of an event. */
export type EventListener = (event: OutboxRow) => void;

/** What happens in a tenant, read once for all who listen, and only while somebody does. */
export class EventFeed {
  readonly #desk: Desk;
  readonly #pollMs: number;
  readonly #onError: ReportError;
  readonly #listeners = new Set<EventListener>();
  #position = BEGINNING;
  #started: Promise<void> | undefined;
  /** Whether something may have happened since the last look. */
  #hasChanged = false;
  /** Whether the store had events at the last look that could not be listed yet. */
  #isWithheld = false;
  #wake: () => void = () => {};

  constructor(desk: Desk, pollMs: number, onError: ReportError) {
    this.#desk = desk;
    this.#pollMs = pollMs;
    this.#onError = onError;
  }

  /** Whether nothing listens to it. */
  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** The cursor of the last event that listeners got: whoever resumes there misses none. */
  get position(): string {
    return this.#position;
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
    const latest = await this.#desk.latestEvent();
    this.#position = latest === undefined ? BEGINNING : eventCursor(latest);
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
        if (this.#listeners.size > 0) await this.#readAndNotify();
      }
    } finally {
      forget();
      this.#started = undefined;
    }
  }

  /** A store that fails for a while does not end the feed. */
  async #readAndNotify(): Promise<void> {
    try {
      await this.#read();
      // They can be listed as soon as another transaction ends, of which this process is not notified.
      this.#isWithheld = await this.#desk.isWithholdingEvents();
    } catch (error) {
      this.#onError(error);
    }
  }

  async #read(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const { items, next } = await this.#desk.events({ after: this.#position, limit: 500 });
      for (const event of items) {
        this.#position = eventCursor(event);
        for (const listener of this.#listeners) listener(event);
      }
      isMore = next !== undefined;
    }
  }

  /** Waits until something may have happened. */
  async #nap(): Promise<void> {
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#isWithheld ? WITHHELD_MS : this.#pollMs);
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
