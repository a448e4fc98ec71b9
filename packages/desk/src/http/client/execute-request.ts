import type { JsonObject, JsonValue } from 'holdpoint';
import type { Settlement } from '../../requests/settle-request.ts';
import type { RequestClaimView, RequestView } from '../views/request-view.ts';
import type { DeskClient } from './desk-client.ts';
import { DeskClientError } from './desk-client-error.ts';

/** Options of {@link executeRequest}. */
export interface ExecuteRequestOptions {
  /** The time after which a dead process loses the call, in milliseconds; a minute by default. */
  readonly lease?: number | undefined;
  /** Ends the wait for the decision and for another executor. It does not abort the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Throw it in an executing function if it is unknown whether the call had an effect. A person decides. */
export class CallInDoubtError extends Error {
  override readonly name = 'CallInDoubtError';
}

/**
 * Waits for the decision about a request, executes its call with the arguments that approvers approved, and settles it.
 * Returns the request when it has ended.
 *
 * Any process of the owner can call it any number of times, also after a crash: the call executes once. If another
 * process has claimed it, it waits for the outcome. After the lease of a process that died, a person decides. An error
 * of `execute` is recorded as the outcome of the call, and thrown. A result that is not JSON puts the call in doubt.
 */
export async function executeRequest(
  client: DeskClient,
  requestId: string,
  execute: (args: JsonObject, claim: RequestClaimView) => JsonValue | Promise<JsonValue>,
  { lease = 60_000, signal }: ExecuteRequestOptions = {},
): Promise<RequestView> {
  requireFunction(execute);
  for (;;) {
    signal?.throwIfAborted();
    const request = await client.getRequest(requestId, { wait: WAIT_SECONDS });
    if (request.state === 'pending' || request.state === 'in-doubt') continue;
    if (request.state === 'claimed') {
      await client.getRequest(requestId, { wait: CLAIMED_WAIT_SECONDS, until: 'end' });
      continue;
    }
    if (request.state !== 'approved') return request;
    const claim = await claimOf(client, requestId, lease);
    if (claim !== undefined) return executeClaimed(client, claim, execute, lease);
  }
}

const WAIT_SECONDS = 20;
/** The time between two reads of a claimed request. The end of a lease causes no event. */
const CLAIMED_WAIT_SECONDS = 5;

/** Returns the claim; `undefined` if another process has it, or if the policy demands another decision. */
async function claimOf(
  client: DeskClient,
  requestId: string,
  lease: number,
): Promise<RequestClaimView | undefined> {
  // With this token, a repeated request gets the claim of one whose response was lost.
  const token = crypto.randomUUID();
  try {
    return await client.claimRequest(requestId, { lease, token });
  } catch (error) {
    if (error instanceof DeskClientError && EXPECTED.includes(error.code)) return undefined;
    throw error;
  }
}

const EXPECTED: readonly string[] = ['request-claimed', 'request-not-approved'];

async function executeClaimed(
  client: DeskClient,
  claim: RequestClaimView,
  execute: (args: JsonObject, claim: RequestClaimView) => JsonValue | Promise<JsonValue>,
  lease: number,
): Promise<RequestView> {
  const { requestId, token } = claim;
  const heartbeat = setInterval(() => {
    // If the lease is lost, the settlement is rejected.
    client.extendRequestClaim(requestId, { token, lease }).catch(() => {});
  }, lease / 3);
  try {
    const value = await executeOrSettle(client, claim, execute);
    return await settle(client, claim, { kind: 'value', value });
  } finally {
    clearInterval(heartbeat);
  }
}

/** Throws before the call is claimed, because a claimed call cannot be repeated. */
export function requireFunction(execute: unknown): void {
  if (typeof execute === 'function') return;
  throw new TypeError('`execute` is not a function. Pass the function that executes the call.');
}

/** Executes a call; settles it as failed or in doubt if it throws, and throws the error. */
async function executeOrSettle(
  client: DeskClient,
  claim: RequestClaimView,
  execute: (args: JsonObject, claim: RequestClaimView) => JsonValue | Promise<JsonValue>,
): Promise<JsonValue> {
  try {
    // A function of a program without types may return nothing.
    const value = (await execute(claim.args, claim)) ?? null;
    requireJson(value);
    return value;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isUnknown = error instanceof CallInDoubtError;
    await settle(
      client,
      claim,
      isUnknown ? { kind: 'unknown', reason: message } : { kind: 'error', message },
    );
    throw error;
  }
}

/** Throws if the value of an executed call cannot be stored. A person decides then how the call ended. */
function requireJson(value: unknown): void {
  const problem = jsonProblemOf(value);
  if (problem === undefined) return;
  throw new CallInDoubtError(`The function returned a result that is not JSON: ${problem}.`);
}

function jsonProblemOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) === undefined ? `it is a ${typeof value}` : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const SETTLE_ATTEMPTS = 5;
const RETRY_MS = 500;

/** Settles a claim. A repeated settlement has no further effect, so a lost connection is tried again. */
async function settle(
  client: DeskClient,
  { requestId, token }: RequestClaimView,
  outcome: Settlement,
): Promise<RequestView> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.settleRequest(requestId, { token, outcome });
    } catch (error) {
      const isFinal = error instanceof DeskClientError && error.status < 500;
      if (isFinal || attempt === SETTLE_ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
