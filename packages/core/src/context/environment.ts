/**
 * The source of everything in a run that is not a function of its history and options: time,
 * randomness, waiting and steps.
 *
 * The default environment executes each operation directly. A durable engine provides its own
 * environment, which records a run and replays it after a crash. The core follows these rules:
 *
 * - It calls `step` once for each model request and for each executed tool call, in call order. An
 *   approved call that does not execute, because it drifted or has an outcome in the ledger, is
 *   also a step. With a ledger, a decision that executes nothing is a step as well. A replay uses
 *   the recorded outcome, even if the ledger has changed since then.
 * - The value of a step is plain data. A step does not reject: `{ kind: 'error', error }` is a
 *   failed one.
 * - No member is called inside a step. Sub-agents and calls made by tools are part of the step that
 *   they are in.
 * - `all` and `race` receive only promises that this environment returned. The core also awaits
 *   single promises of the environment, and may await several of them at the same time.
 *
 * Hooks, handlers, instructions, validators and previews are called outside of steps, and again on
 * each replay.
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
   * Waits for all promises. Each of them was returned by `step`, `race` or `sleep` of this
   * environment.
   *
   * `each` is called with every value as it arrives. If it throws, the promise rejects with that
   * error.
   */
  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]>;
  /** Waits for the first of the promises. Each of them was returned by `step` or `sleep` of this environment. */
  race<T>(promises: readonly Promise<T>[]): Promise<T>;
  /** Executes a model request, a tool call or a decision, and records its value. */
  step<T>(name: string, action: () => Promise<T>): Promise<T>;
  /**
   * Returns whether a recorded step has not reached the run yet, so that the run repeats an earlier
   * attempt.
   *
   * Events are then marked as `replayed`, and checks that the earlier attempt passed are not
   * repeated. Return `true` only if the value of at least one recorded step is still to be
   * delivered.
   */
  replaying(): boolean;
}

/** The environment of a run that is not recorded. */
export const liveEnvironment: Environment = Object.freeze({
  now: () => Date.now(),
  newId: () => uuidV7(Date.now(), crypto.randomUUID()),
  random: () => Math.random(),
  sleep,
  all,
  race: <T>(promises: readonly Promise<T>[]) => Promise.race(promises),
  step: <T>(_name: string, action: () => Promise<T>) => action(),
  replaying: () => false,
});

function all<T>(
  promises: readonly Promise<T>[],
  each?: (value: T, index: number) => void,
): Promise<readonly T[]> {
  if (each === undefined) return Promise.all(promises);
  return Promise.all(
    promises.map((promise, index) =>
      promise.then((value) => {
        each(value, index);
        return value;
      }),
    ),
  );
}

/** Returns a UUID of version 7: the time in milliseconds, then the random digits of a UUID of version 4. */
function uuidV7(now: number, randomUuid: string): string {
  const high = Math.floor(now / 0x10000).toString(16);
  const low = (now % 0x10000).toString(16);
  return `${high.padStart(8, '0')}-${low.padStart(4, '0')}-7${randomUuid.slice(15)}`;
}

/** The maximum delay of a timer. A longer one would end immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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
        left > MAX_TIMER_MS
          ? setTimeout(() => wait(left - MAX_TIMER_MS), MAX_TIMER_MS)
          : setTimeout(done, left);
    };
    if (ms !== Number.POSITIVE_INFINITY) wait(ms);
    signal?.addEventListener('abort', done);
  });
}
