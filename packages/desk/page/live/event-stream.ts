import { eventFrames } from '../../src/http/client/event-frames.ts';
import type { DeskEvent } from '../client/types.ts';

/** The state of the connection to the event stream. */
export type Connection = 'opening' | 'live' | 'lost' | 'rejected';

/** The desk sends a heartbeat every 15 seconds. A stream without two of them is dead. */
const SILENCE_MS = 35_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;

/** Returns the delay before the next connection. It is random, so that pages do not reconnect together. */
export function reconnectDelay(failures: number, random: number): number {
  const max = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 10));
  return Math.round(max * (0.5 + random / 2));
}

/** Handlers of an event stream. */
export interface EventStreamOptions {
  readonly open: (signal: AbortSignal) => Promise<Response>;
  /** Called for each new connection: events before it may be missing. */
  readonly onOpen: () => void;
  readonly onEvent: (event: DeskEvent) => void;
}

/** Receives events of the desk, and reconnects when the connection is lost. */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #watchers = new Set<() => void>();
  #connection: Connection = 'opening';
  #stop = new AbortController();
  #wake: () => void = () => {};

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Calls `watcher` when the connection changes. Returns the function that stops this. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Reconnects now instead of after the delay. */
  readonly reconnect = (): void => this.#wake();

  /** Receives events until `stop` is called. */
  async start(): Promise<void> {
    const { signal } = (this.#stop = new AbortController());
    for (let failures = 0; !signal.aborted; failures++) {
      const wasOpen = await this.#receive(signal);
      if (signal.aborted) return;
      if (wasOpen) failures = 0;
      await this.#pause(reconnectDelay(failures, Math.random()));
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Receives the events of one connection. Returns true if it was established. */
  async #receive(signal: AbortSignal): Promise<boolean> {
    const silence = new AbortController();
    const abort = () => silence.abort();
    let timer = setTimeout(abort, SILENCE_MS);
    const onBytes = () => {
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS);
    };
    addEventListener('offline', abort);
    let isOpen = false;
    try {
      const { open, onOpen, onEvent } = this.#options;
      const { ok, status, body } = await open(AbortSignal.any([signal, silence.signal]));
      if (!ok || body === null) {
        // The other requests may succeed all the same.
        this.#set(status >= 500 ? 'lost' : 'rejected');
        return false;
      }
      isOpen = true;
      this.#set('live');
      onOpen();
      for await (const { event } of eventFrames(body, { onBytes })) {
        if (event !== undefined) onEvent(event);
      }
    } catch {
      if (!signal.aborted) this.#set('lost');
    } finally {
      clearTimeout(timer);
      removeEventListener('offline', abort);
    }
    return isOpen;
  }

  /** Waits, at most until the browser is online again or the person returns to the tab. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener('online', done);
        document.removeEventListener('visibilitychange', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
      addEventListener('online', done);
      document.addEventListener('visibilitychange', done);
    });
  }

  #set(connection: Connection): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    for (const watcher of this.#watchers) watcher();
  }
}
