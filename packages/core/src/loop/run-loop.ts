import type { RunEnd } from '../events/run-end.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { applyResults } from './steps/apply-results.ts';
import { callTools } from './steps/call-tools.ts';
import { recordInterruptedRound } from './steps/park.ts';
import { requestModel } from './steps/request-model.ts';
import { resolveDeferred } from './steps/resolve-deferred.ts';
import { startRun } from './steps/start-run.ts';
import { type HookSet, compose } from '../capabilities/hook-set.ts';
import { UserError } from '../errors/user-errors.ts';
import { invariant } from '../internal/invariant.ts';

/** Executes a run until it finishes or parks, and returns its end. */
async function runLoop(run: Run): Promise<RunEnd> {
  let step: Step;
  try {
    if (run.toolset.needsOpening) await run.toolset.open();
    step = await startRun(run);
    while (!isEnd(step)) step = await executeStep(run, step);
  } catch (error) {
    await closeLoop(run, 'failed');
    throw error;
  }
  if (run.toolset.isOpen) await run.toolset.close(false);
  return step;
}

/**
 * Executes a run like {@link runLoop}, and yields each step before executing it.
 *
 * A caller that returns between two steps leaves the same history behind as an error: the results and the pending calls
 * so far are recorded.
 */
async function* stepsOf(run: Run): AsyncGenerator<Step, void, void> {
  let state: LoopState = 'stopped';
  try {
    if (run.toolset.needsOpening) await run.toolset.open();
    let step = await startRun(run);
    while (!isEnd(step)) {
      yield step;
      step = await executeStep(run, step);
    }
    state = 'ended';
    yield step;
  } catch (error) {
    state = 'failed';
    throw error;
  } finally {
    await closeLoop(run, state);
  }
}

/** Executes a step, and returns the next one. */
function executeStep(run: Run, step: Exclude<Step, RunEnd>): Promise<Step> {
  run.cancellation.throwIfCancelled();
  switch (step.kind) {
    case 'request-model':
      return requestModel(run, step);
    case 'call-tools':
      return callTools(run, step);
    case 'apply-results':
      return applyResults(run, step);
    case 'resolve-deferred':
      return resolveDeferred(run, step);
  }
}

/** Returns whether a step is the end of its run. */
export function isEnd(step: Step): step is RunEnd {
  return step.kind === 'finished' || step.kind === 'parked';
}

/** The reason why a loop ended: the run ended, it failed, or the caller stopped it. */
type LoopState = 'ended' | 'failed' | 'stopped';

async function closeLoop(run: Run, state: LoopState): Promise<void> {
  try {
    if (state !== 'ended') await recordInterruptedRound(run);
  } finally {
    if (run.toolset.isOpen) await run.toolset.close(state === 'failed');
  }
}

type RunHooks = NonNullable<HookSet['wrapRun']>;
type Steps = AsyncGenerator<Step, void, void>;

/** Executes a run inside its `wrapRun` hooks, and returns its end. */
export function executeRun(run: Run): Promise<RunEnd> {
  const { hooks } = run.setup;
  const isWrapped = hooks === undefined || hooks.wrapRun !== undefined;
  return isWrapped ? executeWrapped(run) : runLoop(run);
}

async function executeWrapped(run: Run): Promise<RunEnd> {
  for await (const step of executeSteps(run)) if (isEnd(step)) return step;
  throw new DOMException('The run was stopped.', 'AbortError');
}

/** Executes a run like {@link executeRun}, and yields each step before executing it. */
export async function* executeSteps(run: Run): Steps {
  if (run.setup.hooks === undefined) await run.createHooks();
  const { wrapRun: hooks } = run.hooks;
  yield* hooks === undefined ? stepsOf(run) : wrapRun(run, hooks, stepsOf(run));
}

/** Executes the steps of a run inside hooks. The caller sees every step; the outermost hook determines the end. */
async function* wrapRun(run: Run, hooks: RunHooks, steps: Steps): AsyncGenerator<Step, void, void> {
  const requested = new ManualPromise<boolean>();
  const inner = new ManualPromise<RunEnd>();
  const ctx = run.context();
  const outer = compose<RunHooks[number], undefined, RunEnd>(
    hooks,
    undefined,
    async (hook, _, next) => hook(() => next(undefined), ctx),
    () => {
      if (requested.isSettled) {
        throw new UserError(
          'A `wrapRun` hook called `next` twice. A run executes once. Call `next` once.',
        );
      }
      requested.resolve(true);
      return inner.promise;
    },
  );
  // A hook that ends without `next` replaces the run.
  const ended = outer.then((end) => validateEnd(run, end)).finally(() => requested.resolve(false));
  ended.catch(() => {});
  let isRequested = false;
  /** True if the hooks were notified that the run stopped. They may then clean up. */
  let isNotified = false;
  try {
    isRequested = await run.cancellation.guard(requested.promise);
    if (isRequested) yield* untilEnd(steps, inner);
    isNotified = inner.isRejected && run.cancellation.cancelled;
    const end = await (isNotified ? ended : run.cancellation.guard(ended));
    run.cancellation.throwIfCancelled();
    yield end;
  } finally {
    // Notify hooks that await the end if the caller has left.
    isNotified ||= isRequested && !inner.isSettled;
    inner.reject(new DOMException('The run was stopped.', 'AbortError'));
    await steps.return();
    await (isNotified ? ended : run.cancellation.guard(ended)).catch(() => {});
  }
}

/** Yields the steps of a run without its end, which the hooks receive first. */
async function* untilEnd(
  steps: Steps,
  inner: ManualPromise<RunEnd>,
): AsyncGenerator<Step, void, void> {
  let end: RunEnd | undefined;
  try {
    // Not `for await`, which would stop the steps before the hooks are notified that the caller has left.
    for (let next = await steps.next(); !next.done; next = await steps.next()) {
      const step = next.value;
      if (isEnd(step)) end = step;
      else yield step;
    }
    inner.resolve(invariant(end, 'the last step of a run is its end'));
  } catch (error) {
    inner.reject(error);
  }
}

function validateEnd(run: Run, end: RunEnd): RunEnd {
  if (end?.kind === 'finished' || (end?.kind === 'parked' && run.mayPark)) return end;
  throw new UserError(
    'A `wrapRun` hook did not return the end of the run. Return the value of `next()`, or ' +
      "`{ kind: 'finished', output }`.",
  );
}

/** A promise that is settled from outside, once. */
class ManualPromise<Value> {
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
