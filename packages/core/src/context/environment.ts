/**
 * Everything in a run that is not a function of its history and options: time, chance, waiting and
 * the work done outside.
 *
 * The default environment does each of these directly. A durable engine provides its own, which records a run and
 * replays it after a crash. The core keeps these rules:
 *
 * - It calls `step` once for each model request and for each executed tool call, in call order. An approved call that
 *   does not execute, because it drifted or the ledger knows it, is a step too. So is, with a ledger, a decision that
 *   executes nothing. On replay the recorded outcome holds, although the ledger may say something else by then.
 * - The value of a step is plain data. A step does not reject: `{ kind: 'error', error }` is a failed one.
 * - No member is called inside a step. Sub-agents and calls made by tools are part of the step that they are in.
 * - `all` and `race` receive promises that this environment returned, and no others. The core also awaits single
 *   promises of the environment, and may await several of them at the same time.
 *
 * Hooks, handlers, instructions, validators and previews are called outside of steps, and again on each replay.
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
   * Waits for all promises. Each of them was returned by `step`, `race` or `sleep` of this environment.
   *
   * `each` is called with every value as it arrives; when it throws, waiting ends with that error.
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
   * Returns whether a recorded step has not reached the run yet: an earlier attempt at the run did what it does now.
   *
   * Events are marked as `replayed` then, and checks that the earlier attempt passed are not repeated. Return `true`
   * only if the value of at least one step is still to come.
   */
  replaying(): boolean;
}

/** The environment of a run that nobody records. */
export const liveEnvironment: Environment = Object.freeze({
  now: () => Date.now(),
  newId: uuidV7,
  random: () => Math.random(),
  sleep,
  all: <T>(promises: readonly Promise<T>[], each?: (value: T, index: number) => void) =>
    each === undefined ? Promise.all(promises) : allWith(promises, each),
  race: <T>(promises: readonly Promise<T>[]) => Promise.race(promises),
  step: <T>(_name: string, action: () => Promise<T>) => action(),
  replaying: () => false,
});

/** Half of what `Promise.all` over promises with a `then` would cost: a step has no others. */
function allWith<T>(
  promises: readonly Promise<T>[],
  each: (value: T, index: number) => void,
): Promise<readonly T[]> {
  return new Promise((resolve, reject) => {
    const values: T[] = [];
    let left = promises.length;
    if (left === 0) resolve(values);
    const take = (index: number, value: T) => {
      try {
        each(value, index);
      } catch (error) {
        return reject(error);
      }
      values[index] = value;
      left -= 1;
      if (left === 0) resolve(values);
    };
    for (let index = 0; index < promises.length; index++) {
      // Bound: a closure would hold 32 bytes more. No entries(): they would be the third part of what this allocates.
      promises[index]!.then(take.bind(undefined, index), reject);
    }
  });
}

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

/** Random bytes in advance: asking for few at a time costs ten times as much. */
const pool = new Uint8Array(4000);
let used = pool.length;

/** Where ten random bytes begin in the pool. */
function randomBytes(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += 10;
  return used - 10;
}

/** The characters of the last UUID of version 7, as codes: a text that is added up takes longer, and keeps its parts. */
const codes = Array.from('00000000-0000-7000-0000-000000000000', (digit) => digit.charCodeAt(0));
let lastTime = Number.NaN;

/** Writes the time, which the first twelve digits are. */
function writeTime(now: number): void {
  lastTime = now;
  const digits = now.toString(16).padStart(12, '0');
  for (let index = 0; index < 12; index++) {
    codes[index < 8 ? index : index + 1] = digits.charCodeAt(index);
  }
}

/** The codes of the first and of the second digit of each byte: to look them up takes half the time of working them out. */
const FIRST = Uint8Array.from({ length: 256 }, (_, byte) => codeOfDigit(byte >> 4));
const SECOND = Uint8Array.from({ length: 256 }, (_, byte) => codeOfDigit(byte & 15));

function codeOfDigit(digit: number): number {
  return digit < 10 ? 48 + digit : 87 + digit;
}

/** Writes the two digits of a byte. */
function writeByte(byte: number, at: number): void {
  codes[at] = FIRST[byte]!;
  codes[at + 1] = SECOND[byte]!;
}

function uuidV7(): string {
  const now = Date.now();
  if (now !== lastTime) writeTime(now);
  // The pool has ten bytes from here on.
  const from = randomBytes();
  codes[15] = SECOND[pool[from]!]!;
  writeByte(pool[from + 1]!, 16);
  writeByte(0x80 | (pool[from + 2]! & 0x3f), 19);
  writeByte(pool[from + 3]!, 21);
  for (let index = 4; index < 10; index++) writeByte(pool[from + index]!, 16 + 2 * index);
  return String.fromCharCode(...codes);
}
