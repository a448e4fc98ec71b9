import { requireFunction } from '../errors/check-options.ts';
import { ToolDenied } from './decisions.ts';
import type { DeferredToolRequests } from './requests.ts';
import { DeferredToolResults, type RecordByKey, byId, storeResults } from './results.ts';
import type { RunContext } from '../context/run-context.ts';
import { InvalidResultsError } from '../errors/user-errors.ts';
import { captureResults } from './capture-results.ts';
import { acceptedKinds, validateResults } from './validate-results.ts';

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

/**
 * A function that decides the deferred calls of one model response while the run waits for it.
 *
 * It receives all of them in one call. `ctx.signal` aborts with the run; later decisions have no
 * effect.
 */
export type DeferredToolHandler<in Deps = unknown> = (
  requests: DeferredToolRequests,
  ctx: RunContext<Deps>,
) => HandlerResult | Promise<HandlerResult>;

/** The decisions and results of a handler; nothing if it leaves all calls pending. */
export type HandlerResult = DeferredToolResults | undefined | null | void;

/** A handler that has its context already. */
type BoundHandler = (requests: DeferredToolRequests) => HandlerResult | Promise<HandlerResult>;

/** The decisions and results of several handlers. */
interface HandledRequests {
  readonly results: DeferredToolResults;
  /** The requests that no handler resolved; `undefined` if all are resolved. */
  readonly pending: DeferredToolRequests | undefined;
}

/**
 * Calls handlers in order. Each gets the requests that those before it left pending, and may decide only those.
 *
 * The decisions and results of a handler are copied and validated before the next handler is called.
 */
export async function callHandlers(
  requests: DeferredToolRequests,
  handlers: Iterable<BoundHandler>,
): Promise<HandledRequests> {
  const results = new DeferredToolResults();
  let pending: DeferredToolRequests | undefined = requests;
  for (const handler of handlers) {
    if (pending === undefined) break;
    const given = await handler(pending);
    if (!given) continue;
    const handled = validatedCopy(given, pending);
    addResults(results, handled);
    pending = pending.remaining(handled);
  }
  return { results, pending };
}

function validatedCopy(
  given: DeferredToolResults,
  requests: DeferredToolRequests,
): DeferredToolResults {
  const captured = captureResults(given);
  validateResults(captured, acceptedKinds(requests));
  checkDigests(captured, requests);
  return storeResults(captured);
}

/** Throws if a decision carries a digest that is not the one of its request. */
function checkDigests({ digests }: DeferredToolResults, requests: DeferredToolRequests): void {
  const changed = Object.entries(digests).filter(
    ([id, digest]) => requests.get(id).details.digest !== digest,
  );
  if (changed.length === 0) return;
  throw new InvalidResultsError(
    changed.map(([id]) => id),
    'A handler decided calls that differ from its requests: the digests do not match. Build the decisions with ' +
      '`buildResults()` of the requests that the handler got.',
  );
}

/**
 * Adds decisions and results. Metadata of a call that an earlier handler decided does not change. A digest counts only
 * together with a decision or a result.
 */
function addResults(results: DeferredToolResults, handled: DeferredToolResults): void {
  addEntries(results.metadata, handled.metadata, (id) => !results.has(id));
  addEntries(results.digests, handled.digests, (id) => handled.has(id));
  Object.assign(results.approvals, handled.approvals);
  Object.assign(results.calls, handled.calls);
}

function addEntries<Value>(
  to: RecordByKey<Value>,
  from: Readonly<RecordByKey<Value>>,
  counts: (id: string) => boolean,
): void {
  for (const [id, value] of Object.entries(from)) if (counts(id)) to[id] = value;
}
