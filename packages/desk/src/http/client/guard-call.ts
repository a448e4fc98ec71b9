import type { JsonObject, JsonValue } from 'holdpoint';
import type { RequestBody } from '../endpoints/requests.ts';
import type { RequestClaimView, RequestView } from '../views/request-view.ts';
import type { DeskClient } from './desk-client.ts';
import { executeRequest, type ExecuteRequestOptions, requireFunction } from './execute-request.ts';

/** A call that executes only after its approval. */
export interface GuardedCallBody extends RequestBody {
  /**
   * The identity of the call, such as the conversation and the id of the tool call. The same key is the same call, in
   * every process. Another call needs another key.
   */
  readonly idempotencyKey: string;
}

/** The decision about a call, for frameworks that ask for one before they execute a tool. */
export interface CallDecision {
  readonly approved: boolean;
  /** The text of the approver, or the reason why the call does not execute. */
  readonly reason: string | undefined;
}

/** Options of {@link GuardedCall.decision}. */
export interface CallDecisionOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** A call of this program at a desk. Every method can be called any number of times, by any process of the owner. */
export interface GuardedCall {
  /** Creates the request, or returns it if it exists. It does not wait. */
  request(): Promise<RequestView>;
  /** Creates the request, and waits for the decision. */
  decision(options?: CallDecisionOptions): Promise<CallDecision>;
  /**
   * Creates the request, waits for the decision, executes the call with the arguments that approvers approved, and
   * returns its value. The call executes at most once, see {@link executeRequest}. Throws a {@link CallFailedError} if
   * the call was denied, expired or cancelled, or if it failed earlier.
   */
  execute(
    execute: (args: JsonObject, claim: RequestClaimView) => JsonValue | Promise<JsonValue>,
    options?: ExecuteRequestOptions,
  ): Promise<JsonValue>;
}

/** A guarded call that ended without a value. `request.state` states why. */
export class CallFailedError extends Error {
  override readonly name = 'CallFailedError';
  readonly request: RequestView;

  constructor(message: string, request: RequestView) {
    super(message);
    this.request = request;
  }
}

/** Returns a call that executes only after approvers of the desk have approved it, at most once. It sends nothing yet. */
export function guardCall(client: DeskClient, body: GuardedCallBody): GuardedCall {
  // Programs without types may pass anything.
  if (typeof Object(client).claimRequest !== 'function') {
    throw new TypeError(
      'The first argument of `guardCall` is no client. Pass what `deskClient` returned.',
    );
  }
  const key: unknown = Object(body).idempotencyKey;
  if (typeof key !== 'string' || key === '') {
    throw new TypeError(
      `\`idempotencyKey\` of \`guardCall\` is \`${String(key)}\`, so each method would create another request. Pass the ids of the conversation and of the tool call.`,
    );
  }
  const request = () => client.request(body);
  return {
    request,
    async decision({ signal } = {}) {
      let current = await request();
      while (current.state === 'pending') {
        signal?.throwIfAborted();
        current = await client.getRequest(current.id, { wait: WAIT_SECONDS });
      }
      const rejection = rejectionOf(current);
      return { approved: rejection === undefined, reason: rejection ?? current.decision?.reason };
    },
    async execute(execute, options) {
      requireFunction(execute);
      const { id } = await request();
      const ended = await executeRequest(client, id, execute, options);
      const { outcome } = ended;
      if (outcome?.kind === 'value') return outcome.value;
      if (outcome?.kind === 'error') throw new CallFailedError(outcome.message, ended);
      throw new CallFailedError(rejectionOf(ended) ?? 'The call has no outcome.', ended);
    },
  };
}

const WAIT_SECONDS = 20;

/** Returns the reason why a call does not execute. */
function rejectionOf({ state, decision }: RequestView): string | undefined {
  if (state === 'denied') return decision?.reason ?? 'An approver denied the call.';
  if (state === 'changes-requested') {
    return decision?.reason ?? 'An approver requested changes of the call.';
  }
  if (state === 'expired') return 'No approver decided the call in time.';
  if (state === 'cancelled') return 'The request was cancelled.';
  return undefined;
}
