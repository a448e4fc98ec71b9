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
) => HandlerResult | Promise<HandlerResult>;

/** Answers, or none. */
export type HandlerResult = DeferredToolResults | undefined | null | void;
