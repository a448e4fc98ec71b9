import { requireFunction } from '../errors/check-options.ts';
import { ToolDenied } from './decisions.ts';
import { callHandlers } from './call-handlers.ts';
import type { DeferredToolHandler } from './handler.ts';
import type { DeferredToolRequests } from './requests.ts';
import { type RecordByKey, byId, DeferredToolResults } from './results.ts';

/** Returns a handler that approves every call that needs approval. Questions and external calls stay pending. */
export function approveAll(): DeferredToolHandler {
  return (requests) => requests.buildResults({ approveAll: true });
}

/** Returns a handler that denies every call that needs approval or has a question, with `message` for the model. External calls stay pending. */
export function denyAll(message?: string): DeferredToolHandler {
  return (requests) => {
    const approvals: RecordByKey<ToolDenied> = byId();
    for (const { toolCallId } of [...requests.approvals, ...requests.questions])
      approvals[toolCallId] = new ToolDenied(message);
    return new DeferredToolResults({ approvals });
  };
}

/**
 * Combines handlers into one that calls them in order. Each gets the calls that those before it left pending.
 *
 * The decision of an earlier handler is final. A decision for a call that is not among the requests of the handler is a
 * `UserError`. Calls that no handler decides stay pending.
 */
export function chainHandlers<Deps = unknown>(
  ...handlers: readonly DeferredToolHandler<Deps>[]
): DeferredToolHandler<Deps> {
  for (const handler of handlers) requireFunction('A handler of `chainHandlers`', handler);
  return async (requests, ctx) => {
    const bound = handlers.map((handler) => (pending: DeferredToolRequests) => {
      // An aborted run needs no further decisions.
      ctx.signal.throwIfAborted();
      return handler(pending, ctx);
    });
    const { results } = await callHandlers(requests, bound);
    return results;
  };
}
