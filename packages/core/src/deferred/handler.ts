import type { RunContext } from '../context/run-context.ts';
import type { DeferredToolRequests } from './requests.ts';
import type { DeferredToolResults } from './results.ts';

/**
 * A function that decides the deferred calls of one model response while the run waits for it.
 *
 * It receives all of them at once. `ctx.signal` aborts with the run; later decisions have no effect.
 */
export type DeferredToolHandler<in Deps = unknown> = (
  requests: DeferredToolRequests,
  ctx: RunContext<Deps>,
) => HandlerResult | Promise<HandlerResult>;

/** The decisions and results of a handler; nothing if it leaves all calls pending. */
export type HandlerResult = DeferredToolResults | undefined | null | void;
