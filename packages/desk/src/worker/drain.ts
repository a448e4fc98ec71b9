import { WorkerStoppedError } from '../errors/worker-stopped-error.ts';

/** The time that tasks have after the drain time to store their outcomes, in milliseconds. */
const GRACE_MS = 1_000;

/** The time that a worker has to stop: the drain time, and a short time to store outcomes. */
export class Drain {
  /** Resolves when both times have passed. */
  readonly over: Promise<void>;
  isOver = false;
  readonly #ending = new AbortController();
  readonly #stopping: AbortSignal;
  readonly #drainMs: number;
  readonly #begin = () => this.#start();
  #resolve: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(stopping: AbortSignal, drainMs: number) {
    this.#stopping = stopping;
    this.#drainMs = drainMs;
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    stopping.addEventListener('abort', this.#begin);
    if (stopping.aborted) this.#start();
  }

  /** Aborts when the drain time has passed. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Stops the timers, because all tasks have ended. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#stopping.removeEventListener('abort', this.#begin);
  }

  #start(): void {
    this.#timer = setTimeout(() => {
      this.#ending.abort(new WorkerStoppedError());
      this.#timer = setTimeout(() => {
        this.isOver = true;
        this.#resolve();
      }, GRACE_MS);
    }, this.#drainMs);
  }
}
