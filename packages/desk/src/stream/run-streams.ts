import type { StepEvent } from 'holdpoint';
import type { ReportError } from '../errors/report-error.ts';
import type { Store } from '../store/store.ts';
import { isLiveEvent } from './live-log.ts';
import { RunFeed } from './run-feed.ts';
import { type ReaderOptions, RunReader } from './run-reader.ts';
import type { RunStreamEvent } from './run-stream-event.ts';

/** An attempt of this process at a run, as the readers of the run see it. */
export interface ObservedAttempt {
  /** True if the run has readers in this process. */
  readonly isObserved: boolean;
  /** Notifies readers of an event about the message at a position. The run does not wait for them. */
  readonly emit: (position: number, event: StepEvent) => void;
  /** Notifies readers that the attempt has written to the store. */
  readonly wrote: () => void;
  /** Notifies readers that the attempt has ended. */
  readonly end: () => void;
}

/** The runs that have readers in this process. Runs without readers have no feed and cost nothing. */
export class RunStreams {
  readonly #store: Store;
  readonly #onError: ReportError;
  readonly #feeds = new Map<string, RunFeed>();
  readonly #closing = new AbortController();

  constructor(store: Store, onError: ReportError) {
    this.#store = store;
    this.#onError = onError;
  }

  /** The number of runs that have readers. */
  get feedCount(): number {
    return this.#feeds.size;
  }

  /** Aborts when the desk is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Yields the events of a run to a new reader. */
  async *read(
    tenant: string,
    runId: string,
    { signal, ...options }: ReaderOptions & { readonly signal: AbortSignal | undefined },
  ): AsyncGenerator<RunStreamEvent, void> {
    if (this.closing.aborted || signal?.aborted === true) return;
    const feed = this.#feedOf(tenant, runId);
    const reader = new RunReader(feed, options);
    // A reader that is not reading leaves immediately, too.
    const leave = () => {
      reader.leave();
      feed.leave(reader);
    };
    signal?.addEventListener('abort', leave);
    try {
      await feed.join(reader);
      yield* reader.events();
    } finally {
      signal?.removeEventListener('abort', leave);
      feed.leave(reader);
    }
  }

  /** Returns the attempt of this process at a run. */
  attempt(tenant: string, runId: string): ObservedAttempt {
    const key = keyOf(tenant, runId);
    const attempt = {};
    const feedOfRun = () => this.#feeds.get(key);
    return {
      get isObserved() {
        return feedOfRun() !== undefined;
      },
      emit: (position, event) => {
        if (isLiveEvent(event)) feedOfRun()?.emit(attempt, position, event);
      },
      wrote: () => feedOfRun()?.wrote(),
      end: () => void feedOfRun()?.end(attempt),
    };
  }

  /** Ends all readers and accepts no other. */
  close(): void {
    this.#closing.abort();
    for (const feed of this.#feeds.values()) feed.close();
  }

  #feedOf(tenant: string, runId: string): RunFeed {
    const key = keyOf(tenant, runId);
    const found = this.#feeds.get(key);
    if (found !== undefined) return found;
    const onIdle = () => this.#feeds.delete(key);
    const feed = new RunFeed({ store: this.#store, tenant, runId, onError: this.#onError, onIdle });
    this.#feeds.set(key, feed);
    return feed;
  }
}

function keyOf(tenant: string, runId: string): string {
  return JSON.stringify([tenant, runId]);
}
