import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Context, internal, RestatePromise, Serde } from '@restatedev/restate-sdk';
import { UserError } from 'holdpoint';
import { type Environment, liveEnvironment } from 'holdpoint/agents';
import { checkOptions } from '../options/check-options.ts';
import { Arrivals } from './arrivals.ts';
import { entryText, type JournalEntry, readEntry } from './journal-entry.ts';
import { SeededIds } from './seeded-ids.ts';

/** Options of {@link restateEnvironment}. */
export interface RestateEnvironmentOptions {
  /**
   * The size of the largest result of a step, in bytes; 30 MiB by default. Restate rejects messages over its limit
   * of 32 MiB and would execute the step again forever. A larger result fails the step instead.
   */
  readonly maxResultBytes?: number | undefined;
  /**
   * The longest time of a step, in milliseconds; 10 minutes by default. Restate aborts an invocation after its
   * `inactivityTimeout` and `abortTimeout`, 11 minutes by default, and would execute the step again forever. A longer
   * step fails instead. If you increase this value, increase the timeouts of the service, too.
   */
  readonly maxStepMs?: number | undefined;
}

/** The environment of a run in an invocation of Restate. */
export interface RestateEnvironment extends Environment {
  /**
   * Awaits a promise of Restate, such as that of an awakeable, in a handler or hook of a run. Restate rejects a
   * second `await` while the run awaits a step, so do not await such a promise directly.
   */
  waitFor<T>(promise: RestatePromise<T>): Promise<T>;
}

const MAX_RESULT_BYTES = 30 * 2 ** 20;
const MAX_STEP_MS = 10 * 60_000;
/** The longest timer that Restate is given. */
const MAX_SLEEP_MS = 2 ** 40;

/** Stores the text of an entry unchanged. */
const TEXT: Serde<string> = {
  contentType: 'application/json',
  serialize: (text) => new TextEncoder().encode(text),
  deserialize: (bytes) => new TextDecoder().decode(bytes),
};

/** True while the action of a step executes: the journal must not be used there. */
const insideStep = new AsyncLocalStorage<true>();

/**
 * Creates an environment that records the steps of a run in the journal of a Restate invocation. Create one per
 * invocation, before other operations on `ctx`: its first entry is the time and the seed of all ids.
 *
 * Pass the `signal` of the attempt to the run as well, or use `onRestate`, which returns both.
 */
export async function restateEnvironment(
  ctx: Context,
  options: RestateEnvironmentOptions = {},
): Promise<RestateEnvironment> {
  checkOptions<RestateEnvironmentOptions>('`restateEnvironment`', options, {
    maxResultBytes: 'whole',
    maxStepMs: 'whole',
  });
  // Programs without types pass anything.
  if (typeof Object(ctx).run !== 'function') {
    throw new UserError(
      'The first argument is no context of Restate. Pass the `ctx` of the handler.',
    );
  }
  // `ctx.rand` repeats its numbers if the key of a workflow is used again.
  const { at, seed } = await ctx.run('holdpoint:begin', () => ({
    at: Date.now(),
    seed: randomUUID(),
  }));
  // Every context of the SDK implements the internal interface.
  return new InvocationEnvironment(ctx as internal.ContextInternal, at, seed, options);
}

class InvocationEnvironment implements RestateEnvironment {
  readonly #ctx: internal.ContextInternal;
  readonly #ids: SeededIds;
  readonly #maxResultBytes: number;
  readonly #maxStepMs: number;
  readonly #arrivals = new Arrivals();
  /** The latest time in the journal. */
  #time: number;
  /** Recorded steps that the run awaits. */
  #replayedSteps = 0;

  constructor(
    ctx: internal.ContextInternal,
    time: number,
    seed: string,
    { maxResultBytes = MAX_RESULT_BYTES, maxStepMs = MAX_STEP_MS }: RestateEnvironmentOptions,
  ) {
    this.#ctx = ctx;
    this.#time = time;
    this.#ids = new SeededIds(seed);
    this.#maxResultBytes = maxResultBytes;
    this.#maxStepMs = maxStepMs;
  }

  now(): number {
    return isInsideStep() ? liveEnvironment.now() : this.#time;
  }

  newId(): string {
    return isInsideStep() ? liveEnvironment.newId() : this.#ids.newId(this.#time);
  }

  random(): number {
    return isInsideStep() ? liveEnvironment.random() : this.#ids.random();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (isInsideStep()) return liveEnvironment.sleep(ms, signal);
    // A durable timer cannot be cancelled. `race` drops it.
    const whole = Math.min(Math.max(Math.ceil(ms), 0), MAX_SLEEP_MS);
    const until = this.#time + whole;
    const slept = this.#ctx.sleep(whole).map((_, failure) => {
      if (failure !== undefined) throw failure;
      this.#time = Math.max(this.#time, until);
    });
    return this.#arrivals.add<void>(slept);
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    // A step inside a step is part of it.
    if (isInsideStep()) return action();
    const wasRecorded = !this.#ctx.isProcessing();
    let isReplayed = wasRecorded;
    if (isReplayed) this.#replayedSteps += 1;
    const arrive = () => {
      if (isReplayed) this.#replayedSteps -= 1;
      isReplayed = false;
    };
    const execute = () => insideStep.run(true, () => this.#execute(name, action));
    // Restate starts actions that are awaited together in any order, but the core expects the order of the calls.
    let started = wasRecorded ? undefined : execute();
    const run = this.#ctx.run(
      name,
      () => {
        arrive();
        const first = started ?? execute();
        started = undefined;
        return first;
      },
      { serde: TEXT, maxRetryAttempts: 1 },
    );
    const arrived = run.map((text, failure) => {
      arrive();
      if (failure !== undefined) throw failure;
      const { at, value } = readEntry(String(text));
      this.#time = Math.max(this.#time, at);
      // The entry is the value that the action returned.
      return value as T;
    });
    return this.#arrivals.add(arrived);
  }

  // The order of deliveries determines the results of `all` and `race`.
  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]> {
    return liveEnvironment.all(promises, each);
  }

  async race<T>(promises: readonly Promise<T>[]): Promise<T> {
    try {
      return await liveEnvironment.race(promises);
    } finally {
      for (const promise of promises) this.#arrivals.drop(promise);
    }
  }

  replaying(): boolean {
    return this.#replayedSteps > 0 || !this.#ctx.isProcessing();
  }

  waitFor<T>(promise: RestatePromise<T>): Promise<T> {
    return this.#arrivals.add(promise);
  }

  /** Executes a step, and returns the text of its entry. A step that Restate would repeat forever has failed. */
  async #execute(name: string, action: () => Promise<unknown>): Promise<string> {
    const value = await withinTime(name, this.#maxStepMs, action);
    const text = textOf(name, { at: Date.now(), value });
    const bytes = Buffer.byteLength(text);
    return bytes <= this.#maxResultBytes
      ? text
      : failedEntry(
          `The step \`${name}\` returned ${bytes} bytes, more than \`maxResultBytes\` (${this.#maxResultBytes}). ` +
            'Restate cannot store it. It may have had effects. Return less, for example a reference to a stored file.',
        );
  }
}

function isInsideStep(): boolean {
  return insideStep.getStore() === true;
}

function textOf(name: string, entry: JournalEntry): string {
  try {
    return entryText(entry);
  } catch (error) {
    return failedEntry(
      `The step \`${name}\` returned a value that JSON cannot represent (${error}). It may have had effects. ` +
        'Return plain data.',
    );
  }
}

/** Returns the entry of a step that failed. */
function failedEntry(message: string): string {
  return entryText({ at: Date.now(), value: failedOutcome(message) });
}

function failedOutcome(message: string): { readonly kind: 'error'; readonly error: Error } {
  return { kind: 'error', error: new UserError(message) };
}

/** Returns the value of an action, or a failed outcome if it takes too long. */
async function withinTime(
  name: string,
  maxMs: number,
  action: () => Promise<unknown>,
): Promise<unknown> {
  const ended = new AbortController();
  const tooLong = liveEnvironment
    .sleep(maxMs, ended.signal)
    .then(() =>
      failedOutcome(
        `The step \`${name}\` took longer than \`maxStepMs\` (${maxMs} ms), so it is not known how it ended. Restate ` +
          'would abort the invocation and execute the step again. Make it shorter, or increase `maxStepMs` and the ' +
          '`inactivityTimeout` of the service.',
      ),
    );
  try {
    return await Promise.race([action(), tooLong]);
  } finally {
    ended.abort();
  }
}
