import { WorkerStoppedError } from '../errors/worker-stopped-error.ts';

/** How long tasks have to write what they have when the drain time is over, in milliseconds. */
const GRACE_MS = 1_000;

/** The time that a worker has to stop: the drain time, and a little more to write what there is. */
export class Drain {
  /** Resolves when all of it is over. */
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

  /** Aborts when the drain time is over. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Everything has stopped: there is nothing to wait for. */
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
