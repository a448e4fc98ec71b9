import { InvalidResultsError } from '../errors/user-errors.ts';
import { captureResults } from './capture-results.ts';
import { acceptedKinds, validateResults } from './validate-results.ts';
import type { HandlerResult } from './handler.ts';
import type { DeferredToolRequests } from './requests.ts';
import { type RecordByKey, DeferredToolResults, storeResults } from './results.ts';

/** A handler that has its context already. */
type BoundHandler = (requests: DeferredToolRequests) => HandlerResult | Promise<HandlerResult>;

/** The decisions and results of several handlers. */
interface HandledRequests {
  readonly results: DeferredToolResults;
  /** The requests that no handler resolved; `undefined` if none is left. */
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

/** Adds decisions and results. Metadata and digests count only together with a decision or a result. */
function addResults(results: DeferredToolResults, handled: DeferredToolResults): void {
  Object.assign(results.approvals, handled.approvals);
  Object.assign(results.calls, handled.calls);
  addResolved(results.metadata, handled.metadata, handled);
  addResolved(results.digests, handled.digests, handled);
}

function addResolved<Value>(
  to: RecordByKey<Value>,
  from: Readonly<RecordByKey<Value>>,
  handled: DeferredToolResults,
): void {
  for (const [id, value] of Object.entries(from)) if (handled.has(id)) to[id] = value;
}
