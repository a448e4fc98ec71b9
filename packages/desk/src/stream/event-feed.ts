import type { ReportError } from '../errors/report-error.ts';
import { cursorText, eventCursor, type Page, type PageQuery } from '../model/page.ts';
import type { OutboxRow } from '../model/outbox-row.ts';

/**
 * The time in milliseconds for which events are read together, because events often occur in
 * groups.
 */
const GROUP_MS = 50;
/** The interval at which withheld events are read again, in milliseconds. */
const WITHHELD_MS = 100;
/** The cursor before the first event. */
const BEGINNING = cursorText([0, 0]);

/** The events of a tenant, as a desk lists them. */
export interface EventLister {
  events(query: PageQuery): Promise<Page<OutboxRow>>;
  latestEvent(): Promise<OutboxRow | undefined>;
  isWithholdingEvents(): Promise<boolean>;
  onChange(listener: () => void): () => void;
}

/** Receives an event. */
export type EventListener = (event: OutboxRow) => void;

/**
 * The events of a tenant. They are read once for all listeners, and only while it has listeners.
 */
export class EventFeed {
  readonly #desk: EventLister;
  readonly #pollMs: number;
  readonly #onError: ReportError;
  readonly #listeners = new Set<EventListener>();
  #position = BEGINNING;
  #started: Promise<void> | undefined;
  /** True if there may be new events since the last read. */
  #hasChanged = false;
  /** True if the store had events at the last read that could not be listed yet. */
  #isWithheld = false;
  #wake: () => void = () => {};

  constructor(desk: EventLister, pollMs: number, onError: ReportError) {
    this.#desk = desk;
    this.#pollMs = pollMs;
    this.#onError = onError;
  }

  /** True without listeners. */
  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** The cursor of the last event that listeners received. A client that resumes there misses none. */
  get position(): string {
    return this.#position;
  }

  /** Notifies a listener of all events from now on. Returns a function that removes the listener. */
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

  /** Finds the latest event, and starts to read the events after it. */
  async #start(): Promise<void> {
    const latest = await this.#desk.latestEvent();
    this.#position = latest === undefined ? BEGINNING : eventCursor(latest);
    void this.#keepReading();
  }

  async #keepReading(): Promise<void> {
    const unsubscribe = this.#desk.onChange(() => {
      this.#hasChanged = true;
      this.#wake();
    });
    try {
      while (this.#listeners.size > 0) {
        await this.#waitForChange();
        if (this.#listeners.size > 0) await this.#readAndNotify();
      }
    } finally {
      unsubscribe();
      this.#started = undefined;
    }
  }

  /** A store that fails temporarily does not end the feed. */
  async #readAndNotify(): Promise<void> {
    try {
      await this.#read();
      // Withheld events can be listed once another transaction ends. This process is not notified of that.
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

  /** Waits until there may be new events. */
  async #waitForChange(): Promise<void> {
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
    await new Promise((resolve) => setTimeout(resolve, GROUP_MS));
    this.#hasChanged = false;
  }
}
