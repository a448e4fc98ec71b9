import { eventFrames } from '../../src/http/client/event-frames.ts';
import type { EventView } from '../client/types.ts';
import { waitBefore } from './backoff.ts';

/** How it is with the connection. */
export type Connection = 'opening' | 'live' | 'lost' | 'refused';

/** What has happened: an event of the desk, or that some may have been missed. */
export type News =
  | { readonly kind: 'event'; readonly event: EventView }
  | { readonly kind: 'missed' };

/** The desk shows a sign of life every 15 seconds; without two of them, nobody is there. */
const SILENCE_MS = 35_000;

/** Hears what happens at the desk, and comes again when the connection is lost. */
export class LiveDesk {
  readonly #open: (signal: AbortSignal) => Promise<Response>;
  readonly #listeners = new Set<(news: News) => void>();
  readonly #watchers = new Set<() => void>();
  #connection: Connection = 'opening';
  #stop = new AbortController();
  #wake: () => void = () => {};

  constructor(open: (signal: AbortSignal) => Promise<Response>) {
    this.#open = open;
  }

  /** How it is with the connection now. */
  get connection(): Connection {
    return this.#connection;
  }

  /** Calls a function when it is otherwise with the connection; gives the one that ends it. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Tells a listener what happens; gives the function that ends it. */
  listen(listener: (news: News) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tries at once, if it waits before the next try. */
  readonly tryNow = (): void => this.#wake();

  /** Listens until `stop`. */
  async start(): Promise<void> {
    const { signal } = (this.#stop = new AbortController());
    for (let failures = 0; !signal.aborted; failures++) {
      const hasOpened = await this.#hearOnce(signal);
      if (signal.aborted) return;
      if (hasOpened) failures = 0;
      await this.#pause(waitBefore(failures, Math.random()));
    }
  }

  /** Ends the connection. */
  stop(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** One connection, from its beginning to its end; says whether there was one. */
  async #hearOnce(signal: AbortSignal): Promise<boolean> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const onBytes = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    const onOffline = () => silence.abort();
    addEventListener('offline', onOffline);
    let isOpen = false;
    try {
      const { ok, status, body } = await this.#open(AbortSignal.any([signal, silence.signal]));
      if (!ok || body === null) {
        // Others may be let in all the same: only what happens is not heard.
        this.#set(status >= 500 ? 'lost' : 'refused');
        return false;
      }
      isOpen = true;
      this.#set('live');
      this.#tell({ kind: 'missed' });
      for await (const { event } of eventFrames(body, onBytes)) {
        if (event !== undefined) this.#tell({ kind: 'event', event });
      }
    } catch {
      if (!signal.aborted) this.#set('lost');
    } finally {
      clearTimeout(timer);
      removeEventListener('offline', onOffline);
    }
    return isOpen;
  }

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
      // Somebody has come back to the tab.
      document.addEventListener('visibilitychange', done);
    });
  }

  #set(connection: Connection): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    for (const watcher of this.#watchers) watcher();
  }

  #tell(news: News): void {
    for (const listener of this.#listeners) listener(news);
  }
}
