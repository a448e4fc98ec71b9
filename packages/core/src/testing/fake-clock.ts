import { type Environment, liveEnvironment } from '../context/environment.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';

/** Options of {@link fakeClock}. */
export interface FakeClockOptions {
  /** The start in milliseconds since 1970. Defaults to the first of January 2026. */
  readonly start?: number | undefined;
  /** The seed of the random numbers. Defaults to 0. */
  readonly seed?: number | undefined;
  /** The environment that executes steps. Defaults to the live environment. */
  readonly base?: Environment | undefined;
}

const FAKE_CLOCK_OPTIONS: OptionTable<FakeClockOptions> = {
  start: 'number',
  seed: 'number',
  base: 'object',
};

/** An environment whose time the test controls. */
export interface FakeClock extends Environment {
  /** The number of pending sleeps. */
  readonly sleeping: number;
  /**
   * Advances the time and ends the due sleeps, the earliest first, each at its time.
   *
   * After each sleep it waits for a few turns of the event loop, so that sleeps that start then are
   * included.
   */
  advance(ms: number): Promise<void>;
}

/**
 * Creates an environment in which time stands still until the test advances it.
 *
 * Ids are UUIDs of version 7 with a counter, and random numbers depend on the seed. Two clocks that are used
 * in the same way return the same values.
 */
export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  checkOptions('`fakeClock`', options, FAKE_CLOCK_OPTIONS);
  return new Clock(options);
}

/** Enough turns for a run inside of one or two environments that deliver one result per turn. */
const TURNS_TO_SETTLE = 4;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

class Clock implements FakeClock {
  readonly #base: Environment;
  readonly #random: () => number;
  readonly #sleepers = new Set<Sleeper>();
  #time: number;
  #ids = 0;

  constructor(options: FakeClockOptions) {
    this.#time = options.start ?? Date.UTC(2026, 0, 1);
    this.#random = seededRandom(options.seed ?? 0);
    this.#base = options.base ?? liveEnvironment;
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#time + ms;
    await settle();
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#time = Math.max(this.#time, next.until);
      next.wake();
      await settle();
    }
    this.#time = Math.max(this.#time, end);
  }

  now(): number {
    return this.#time;
  }

  newId(): string {
    const time = this.#time.toString(16).padStart(12, '0');
    const count = (++this.#ids).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8, 12)}-7000-8000-${count}`;
  }

  random(): number {
    return this.#random();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper: Sleeper = { until: this.#time + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    return this.#base.step(name, action);
  }

  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]> {
    return this.#base.all(promises, each);
  }

  race<T>(promises: readonly Promise<T>[]): Promise<T> {
    return this.#base.race(promises);
  }

  replaying(): boolean {
    return this.#base.replaying();
  }

  #nextUntil(end: number): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.until <= end && (!next || sleeper.until < next.until)) next = sleeper;
    }
    return next;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SETTLE; turn++) await nextTurn();
}

/**
 * Creates a generator of numbers from 0 up to, not including, 1. The same seed gives the same numbers.
 *
 * It is the mulberry32 generator, which is sufficient for shuffling and unsuitable for secrets.
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Read when the module loads, so that tests with fake timers do not stop the environments.
const startTimer: (done: () => void, ms: number) => unknown = setTimeout;

/** Waits for the next turn of the event loop, after all pending microtasks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    startTimer(resolve, 0);
  });
}
