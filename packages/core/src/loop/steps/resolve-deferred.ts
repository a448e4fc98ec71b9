import type { MaybePromise } from '../../context/chain.ts';
import {
  answerKinds,
  approvalsIn,
  checkAnswers,
  requireResults,
} from '../../deferred/check-answers.ts';
import { captureResults } from '../../deferred/capture-results.ts';
import type { DeferredToolHandler } from '../../deferred/handler.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { copyResults, DeferredToolResults, freezeResults } from '../../deferred/results.ts';
import { quoteCalls } from '../../errors/quote-ids.ts';
import { RefusedAnswersError } from '../../errors/refused-answers-error.ts';
import { UnansweredCallsError } from '../../errors/unanswered-calls-error.ts';
import { type OpenBelow, openBelow } from '../../execution/sub-run.ts';
import { executeBatch } from '../../execution/execute-batch.ts';
import type { PlacedCall } from '../../execution/placed-call.ts';
import { checkBeforeToolCalls } from '../../usage/limits.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ResolveDeferred, Step } from '../step.ts';
import { describeWaiting } from '../describe-waiting.ts';
import { afterTools } from './call-tools.ts';
import { park } from './park.ts';

/** Asks the handlers for answers and runs what they approve; what stays open parks the run. */
export function resolveDeferred(run: Run, { requests }: ResolveDeferred): MaybePromise<Step> {
  // The step follows from a round.
  const round = run.round!;
  const isAsked = run.setup.deferredToolHandler !== undefined || run.chainedHandlers.length > 0;
  // Where nobody is asked, what waits is what was asked.
  return isAsked ? resolve(run, round, requests) : park(run, round, requests);
}

async function resolve(run: Run, round: Round, requests: DeferredToolRequests): Promise<Step> {
  const results = await askHandlers(run, round, requests);
  if (results === undefined) return park(run, round, requests);
  // An agent below has gone on and waits for something else.
  if (await runAnswered(run, round, results)) return afterTools(run, round);
  if (round.waiting.length > 0) {
    await describeWaiting(run, round);
    return park(run, round, round.requests(run));
  }
  return { kind: 'request-model', parts: round.parts() };
}

/** The answers of all handlers together; `undefined` if there are none. */
async function askHandlers(
  run: Run,
  round: Round,
  requests: DeferredToolRequests,
): Promise<DeferredToolResults | undefined> {
  const { deferredToolHandler } = run.setup;
  const results = new DeferredToolResults();
  let open: DeferredToolRequests | undefined = requests;
  for (const handler of run.chainedHandlers) {
    if (open === undefined) break;
    const answered = await ask(run, handler, open);
    if (answered === undefined) continue;
    addAnswers(results, answered);
    open = open.remaining(answered);
  }
  if (open !== undefined && deferredToolHandler !== undefined) {
    const answered = (await ask(run, deferredToolHandler, open)) ?? new DeferredToolResults();
    requireComplete(answered, open, round);
    addAnswers(results, answered);
  }
  return results.isEmpty ? undefined : freezeResults(results);
}

/** Throws if the handler of a run, which is asked last, has left calls pending. */
function requireComplete(
  answered: DeferredToolResults,
  requests: DeferredToolRequests,
  round: Round,
): void {
  const pending = requests.remaining(answered);
  if (pending === undefined) return;
  const calls = [...pending.approvals, ...pending.calls];
  const settled = round.calls.filter(({ place }) => round.results[place] !== undefined);
  const others =
    settled.length === 0
      ? ''
      : `Other calls of the same response already have results: ${quoteCalls(settled.map(({ call }) => call))}. `;
  throw new UnansweredCallsError(
    calls.map((call) => call.toolCallId),
    `\`deferredToolHandler\` returned no decision or result for ${quoteCalls(calls)}. No pending call was executed. ${others}` +
      'Return one for every pending call. Use the capability `handleDeferredToolCalls` for a handler that leaves ' +
      'calls pending.',
  );
}

/** Adds answers and what comes with them; what was settled before stays as it is. */
function addAnswers(results: DeferredToolResults, answered: DeferredToolResults): void {
  Object.assign(results.approvals, answered.approvals);
  Object.assign(results.calls, answered.calls);
  for (const [id, metadata] of Object.entries(answered.metadata)) {
    if (answered.answers(id)) results.metadata[id] = metadata;
  }
  for (const [id, digest] of Object.entries(answered.digests)) {
    if (answered.answers(id)) results.digests[id] = digest;
  }
}

async function ask(
  run: Run,
  handler: DeferredToolHandler<never>,
  requests: DeferredToolRequests,
): Promise<DeferredToolResults | undefined> {
  const answered = await run.cancellation.wait(handler(requests, run.context()));
  if (!answered) return undefined;
  requireResults(answered);
  const given = captureResults(answered);
  const kinds = answerKinds(requests);
  checkAnswers(given, kinds);
  checkDigests(given, requests);
  return copyResults(given);
}

/** What an answer carries must be what was asked; nothing has run yet. */
function checkDigests(given: DeferredToolResults, requests: DeferredToolRequests): void {
  const others = Object.entries(given.digests).filter(
    ([id, digest]) => requests.get(id).details.digest !== digest,
  );
  if (others.length === 0) return;
  throw new RefusedAnswersError(
    others.map(([id]) => id),
    'A handler has answered something else than what it was asked. Answer with the digests of these requests.',
  );
}

/** Runs what was answered; tells whether an agent below went on with it and waits again. */
async function runAnswered(run: Run, round: Round, results: DeferredToolResults): Promise<boolean> {
  checkBeforeToolCalls(run.limits, run.usage, approvalsIn(results));
  if (run.observed) await run.emit({ kind: 'deferred-results', results });
  const answered = round.takeAnswers(results);
  await executeBatch(run, answered, round, false);
  round.noteWaiting(round.calls);
  return answered.some((placed) => goesOn(round, placed, results));
}

/**
 * Whether an agent below waits for something that nobody has answered yet. A call that waits for the
 * same again is not asked about again.
 */
function goesOn(
  round: Round,
  { call, place, resumption }: PlacedCall,
  results: DeferredToolResults,
): boolean {
  const deferral = round.deferrals[place];
  if (deferral?.as !== 'agent') return false;
  if (resumption === undefined) return true;
  const answered = new Set(
    openBelow(call, resumption.messages)
      .filter(({ key }) => results.answers(key))
      .map(nameOf),
  );
  return openBelow(call, deferral.messages).some((open) => !answered.has(nameOf(open)));
}

function nameOf({ step, key }: OpenBelow): string {
  return `${step} ${key}`;
}
