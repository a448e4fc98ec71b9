import type { RunContext } from '../context/run-context.ts';
import { requireFunction } from '../errors/check-options.ts';
import { ToolDenied } from './answers.ts';
import { answerKinds, checkAnswers } from './check-answers.ts';
import type { DeferredToolHandler } from './handler.ts';
import type { DeferredToolRequests } from './requests.ts';
import { type ById, byId, DeferredToolResults } from './results.ts';

/** A handler that approves every call that waits for approval; calls whose result comes from elsewhere stay open. */
export function approveAll(): DeferredToolHandler {
  return (requests) => requests.buildResults({ approveAll: true });
}

/**
 * A handler that denies every call that waits for approval; calls whose result comes from elsewhere
 * stay open. The model is told `message`.
 */
export function denyAll(message?: string): DeferredToolHandler {
  return (requests) => {
    const approvals: ById<ToolDenied> = byId();
    for (const { toolCallId } of requests.approvals)
      approvals[toolCallId] = new ToolDenied(message);
    return new DeferredToolResults({ approvals });
  };
}

/**
 * A handler that asks handlers one after the other: each gets what those before it left open.
 *
 * What one has answered is settled; to answer a call that it was not asked for is a `UserError`. What
 * none of them answers stays open.
 */
export function chainHandlers<Deps = unknown>(
  ...handlers: readonly DeferredToolHandler<Deps>[]
): DeferredToolHandler<Deps> {
  for (const handler of handlers) requireFunction('A handler of `chainHandlers`', handler);
  return async (requests, ctx) => {
    const results = new DeferredToolResults();
    let open: DeferredToolRequests | undefined = requests;
    for (const handler of handlers) {
      if (open === undefined) break;
      const answered = await ask(handler, open, ctx);
      if (answered === undefined) continue;
      results.update(answered);
      open = open.remaining(answered);
    }
    return results;
  };
}

async function ask<Deps>(
  handler: DeferredToolHandler<Deps>,
  requests: DeferredToolRequests,
  ctx: RunContext<Deps>,
): Promise<DeferredToolResults | undefined> {
  // Nobody is asked anything for a run that is over.
  ctx.signal.throwIfAborted();
  const answered = await handler(requests, ctx);
  if (!answered) return undefined;
  const kinds = answerKinds(requests);
  checkAnswers(answered, kinds);
  const metadata = Object.entries(answered.metadata).filter(([id]) => kinds.has(id));
  return new DeferredToolResults({ ...answered, metadata: Object.fromEntries(metadata) });
}
