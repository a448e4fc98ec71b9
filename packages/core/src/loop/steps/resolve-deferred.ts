import { callHandlers } from '../../deferred/handlers.ts';
import { countApproved } from '../../deferred/validate-results.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { type DeferredToolResults, freezeResults } from '../../deferred/results.ts';
import { invariant } from '../../internal/invariant.ts';
import { type SubAgentPendingCall, subAgentPendingCalls } from '../../deferred/sub-agent-run.ts';
import { MissingResultsError, quoteCalls } from '../../errors/user-errors.ts';
import { executeBatch } from '../../execution/execute-batch.ts';
import type { CallInBatch } from '../../execution/call-in-batch.ts';
import { checkBeforeToolCalls } from '../../usage/usage.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ResolveDeferred, Step } from '../step.ts';
import { describeDeferred } from '../describe-deferred.ts';
import { recordApprovalRequests } from '../resume/approval-integrity.ts';
import { requestDecisions } from './call-tools.ts';
import { park, parkingsBefore } from './park.ts';

/** Calls the handlers and executes the calls that they approve. The run parks if calls stay pending. */
export async function resolveDeferred(run: Run, { requests }: ResolveDeferred): Promise<Step> {
  const round = invariant(run.round, 'deferred calls belong to a round');
  const results = run.hasHandlers ? await callRunHandlers(run, round, requests) : undefined;
  let pending = requests;
  if (results !== undefined) {
    // A sub-agent resumed and parked again with other calls.
    if (await executeDecided(run, round, results)) return await requestDecisions(run, round);
    if (round.deferredCalls.length === 0) return { kind: 'request-model', parts: round.parts() };
    await describeDeferred(run, round);
    pending = round.requests(run, parkingsBefore(run, round));
  }
  const parked = park(run, round, pending);
  if (run.claims !== undefined) await run.cancellation.guard(recordApprovalRequests(run, round));
  return parked;
}

/** Returns the decisions and results of all handlers, or `undefined` without any. */
async function callRunHandlers(
  run: Run,
  round: Round,
  requests: DeferredToolRequests,
): Promise<DeferredToolResults | undefined> {
  const { deferredToolHandler: last } = run.setup;
  const handlers = last === undefined ? run.chainedHandlers : [...run.chainedHandlers, last];
  const bound = handlers.map(
    (handler) => (pending: DeferredToolRequests) =>
      run.cancellation.guard(handler(pending, run.context())),
  );
  const { results, pending } = await callHandlers(requests, bound);
  if (last !== undefined && pending !== undefined) throw incompleteHandler(pending, round);
  return results.isEmpty ? undefined : freezeResults(results);
}

/** Returns the error for a `deferredToolHandler` that left calls pending. */
function incompleteHandler(pending: DeferredToolRequests, round: Round): MissingResultsError {
  const calls = [...pending.approvals, ...pending.questions, ...pending.calls];
  const settled = round.calls.filter(({ index }) => round.results[index] !== undefined);
  const others =
    settled.length === 0
      ? ''
      : `Other calls of the same response already have results: ${quoteCalls(settled.map(({ call }) => call))}. `;
  return new MissingResultsError(
    calls.map((call) => call.toolCallId),
    `\`deferredToolHandler\` returned no decision or result for ${quoteCalls(calls)}. No pending call was executed. ${others}` +
      'Return one for every pending call. Use the capability `handleDeferredToolCalls` for a handler that leaves ' +
      'calls pending.',
  );
}

/** Executes the decided calls. Returns whether a resumed sub-agent parked again with new requests. */
async function executeDecided(
  run: Run,
  round: Round,
  results: DeferredToolResults,
): Promise<boolean> {
  checkBeforeToolCalls(run.limits, run.usage, countApproved(results));
  await run.emit({ kind: 'deferred-results', results });
  const decided = round.takeDecided(results);
  await executeBatch(run, decided, round, { announce: false });
  // Calls that defer again keep the order in which they executed. Sub-agents keep that of the response.
  const callAt = new Map(round.calls.map((batchCall) => [batchCall.index, batchCall]));
  round.trackDeferred(
    decided
      .filter(({ index }) => round.deferrals[index]?.kind !== 'sub-agent')
      .map(({ index }) => invariant(callAt.get(index), 'decided calls are of the round')),
  );
  round.trackDeferred(round.calls);
  return decided.some((batchCall) => hasNewRequests(round, batchCall, results));
}

/**
 * Returns whether a sub-agent has pending calls that have no decision yet. The handlers are not called again for the
 * same calls.
 */
function hasNewRequests(
  round: Round,
  { call, index, resumption }: CallInBatch,
  results: DeferredToolResults,
): boolean {
  const deferral = round.deferrals[index];
  if (deferral?.kind !== 'sub-agent') return false;
  if (resumption === undefined) return true;
  const decided = new Set(
    subAgentPendingCalls(call, resumption.messages)
      .filter(({ key }) => results.has(key))
      .map(subAgentCallName),
  );
  return subAgentPendingCalls(call, deferral.messages).some(
    (open) => !decided.has(subAgentCallName(open)),
  );
}

function subAgentCallName({ step, key }: SubAgentPendingCall): string {
  return `${step} ${key}`;
}
