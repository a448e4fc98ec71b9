import type { RunContext } from '../context/run-context.ts';
import type { DeferredToolRequests } from './requests.ts';
import type { DeferredToolResults } from './results.ts';

/**
 * Answers the deferred calls of one model response while the run waits.
 *
 * It gets the whole batch. `ctx.signal` aborts with the run; an answer that comes later has no effect.
 */
export type DeferredToolHandler<in Deps = unknown> = (
  requests: DeferredToolRequests,
  ctx: RunContext<Deps>,
) => Answered | Promise<Answered>;

/** Answers, or none. */
export type Answered = DeferredToolResults | undefined | null | void;
