/**
 * Everything in a run that is not a function of its history and options: time, chance, waiting and
 * the work done outside.
 *
 * The default environment does each of these directly. An engine that must be able to record a run
 * and play it back puts its own in place. A run calls `step` exactly once for each model request and
 * for each executed tool call, in call order; what a step returns is data, and nothing that steers
 * the run is thrown through it.
 */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number;
  /** A new UUID of version 7. */
  newId(): string;
  /** A number from 0 up to, not including, 1. */
  random(): number;
  /** Waits; ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Waits for all promises, which come straight from `step`, `race` or `sleep`.
   *
   * `each` is told every value as it arrives; when it throws, waiting ends with that error.
   */
  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]>;
  /** Waits for the first of the promises, which come straight from `step` or `sleep`. */
  race<T>(promises: readonly Promise<T>[]): Promise<T>;
  /** Does something outside: a model request or a tool call. */
  step<T>(name: string, action: () => Promise<T>): Promise<T>;
  /** Whether what happens now was recorded before, so that telling the world again would be wrong. */
  replaying(): boolean;
}

/** The environment of a run that nobody records. */
export const liveEnvironment: Environment = Object.freeze({
  now: () => Date.now(),
  newId: uuidV7,
  random: () => Math.random(),
  sleep,
  all: <T>(promises: readonly Promise<T>[], each?: (value: T, index: number) => void) =>
    Promise.all(
      each === undefined
        ? promises
        : promises.map((promise, index) =>
            promise.then((value) => {
              each(value, index);
              return value;
            }),
          ),
    ),
  race: <T>(promises: readonly Promise<T>[]) => Promise.race(promises),
  step: <T>(_name: string, action: () => Promise<T>) => action(),
  replaying: () => false,
});

/** The longest wait that a timer can be set to; a longer one would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const wait = (left: number) => {
      timer =
        left > LONGEST_TIMER
          ? setTimeout(() => wait(left - LONGEST_TIMER), LONGEST_TIMER)
          : setTimeout(done, left);
    };
    if (ms !== Number.POSITIVE_INFINITY) wait(ms);
    signal?.addEventListener('abort', done);
  });
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Random bytes in advance: asking for few at a time costs ten times as much. */
const pool = new Uint8Array(4096);
let used = pool.length;

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

function uuidV7(): string {
  const bytes = randomBytes();
  const now = Date.now();
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(now / 2 ** (40 - 8 * i));
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  let id = '';
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) id += '-';
    id += HEX[bytes[i]!];
  }
  return id;
}
