import { compose } from '../capabilities/compose.ts';
import type { RunEnd } from '../capabilities/ended.ts';
import type { HookSet } from '../capabilities/hook-set.ts';
import { UserError } from '../errors/user-error.ts';
import type { Run } from './run.ts';
import { isEnd, type Step, type Steps } from './step.ts';

type RunHooks = NonNullable<HookSet['wrapRun']>;

/** The steps of a run with hooks around it, if it turns out to have some. */
export class HookedSteps implements Steps {
  readonly #steps: AsyncGenerator<Step, RunEnd | undefined, void>;

  constructor(run: Run, steps: Steps) {
    this.#steps = hookedSteps(run, steps);
  }

  async next(): Promise<Step | undefined> {
    const { done, value } = await this.#steps.next();
    return done ? undefined : value;
  }

  async finish(): Promise<RunEnd | undefined> {
    for (;;) {
      const step = await this.next();
      if (step === undefined || isEnd(step)) return step;
    }
  }

  async stop(): Promise<void> {
    await this.#steps.return(undefined);
  }
}

async function* hookedSteps(run: Run, steps: Steps): AsyncGenerator<Step, undefined, void> {
  await run.makeHooks();
  const { wrapRun: hooks } = run.hooks;
  if (hooks !== undefined) return yield* wrapRun(run, hooks, steps);
  try {
    for (let step = await steps.next(); step !== undefined; step = await steps.next()) yield step;
  } finally {
    await steps.stop();
  }
}

/**
 * Puts hooks around the steps of a run. The steps are shown to the caller as they would be without;
 * how the run ends is what the outermost hook says.
 */
async function* wrapRun(
  run: Run,
  hooks: RunHooks,
  steps: Steps,
): AsyncGenerator<Step, undefined, void> {
  const wanted = new Settled<boolean>();
  const inner = new Settled<RunEnd>();
  const ctx = run.context();
  const outer = compose<RunHooks[number], undefined, RunEnd>(
    hooks,
    undefined,
    async (hook, _, next) => hook(() => next(undefined), ctx),
    () => {
      if (wanted.isSettled) {
        throw new UserError(
          'A hook around the run called next twice. A run takes place once: call it once.',
        );
      }
      wanted.resolve(true);
      return inner.promise;
    },
  );
  // A hook that is done without next wants no run.
  const ended = outer.then((end) => checkedEnd(run, end)).finally(() => wanted.resolve(false));
  ended.catch(() => {});
  let isWanted = false;
  /** Hooks that are told of the stop while they wait for the end may put away what they took. */
  let isTold = false;
  try {
    isWanted = await run.cancellation.guard(wanted.promise);
    if (isWanted) yield* untilEnd(steps, inner);
    isTold = inner.isRejected && run.cancellation.cancelled;
    const end = await (isTold ? ended : run.cancellation.guard(ended));
    run.cancellation.throwIfCancelled();
    yield end;
  } finally {
    // Where the caller wants no more of it, hooks that wait for the end are told.
    isTold ||= isWanted && !inner.isSettled;
    inner.reject(new DOMException('The run was stopped.', 'AbortError'));
    await steps.stop();
    await (isTold ? ended : run.cancellation.guard(ended)).catch(() => {});
  }
}

/** Shows the steps of a run up to its end, which is for the hooks to see first. */
async function* untilEnd(steps: Steps, inner: Settled<RunEnd>): AsyncGenerator<Step, void, void> {
  let end: RunEnd | undefined;
  try {
    for (let step = await steps.next(); step !== undefined; step = await steps.next()) {
      if (isEnd(step)) end = step;
      else yield step;
    }
    // The steps of a run end with its end.
    inner.resolve(end!);
  } catch (error) {
    inner.reject(error);
  }
}

function checkedEnd(run: Run, end: RunEnd): RunEnd {
  if (end?.kind === 'finished' || (end?.kind === 'parked' && run.mayPark)) return end;
  throw new UserError(
    'A hook around the run did not say how the run ends. Return what next gives, or another ' +
      "{ kind: 'finished', output }.",
  );
}

/** A promise that is settled from outside, once. */
class Settled<Value> {
  readonly promise: Promise<Value>;
  isSettled = false;
  isRejected = false;
  #resolve: (value: Value) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => {});
  }

  resolve(value: Value): void {
    this.isSettled = true;
    this.#resolve(value);
  }

  reject(error: unknown): void {
    this.isRejected ||= !this.isSettled;
    this.isSettled = true;
    this.#reject(error);
  }
}
