import { chain, eachInTurn, type MaybePromise } from '../../context/chain.ts';
import { applyDecisions } from '../../execution/apply-decisions.ts';
import { executeBatch } from '../../execution/execute-batch.ts';
import type { CallInBatch } from '../../execution/call-in-batch.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { NO_DETAILS } from '../../messages/call-details.ts';
import { type OpenCall, recordOf, type WaitingCall } from '../../messages/step-record.ts';
import { recordedDeferral } from '../recorded-deferral.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ApplyResults, Step } from '../step.ts';
import { userPrompt } from '../user-prompt.ts';
import { afterTools } from './call-tools.ts';

/** Runs the calls that were approved and tells the results of the others. The answers were checked before. */
export function applyResults(run: Run, { results }: ApplyResults): MaybePromise<Step> {
  const round = new Round(run, run.openToolCalls());
  run.round = round;
  round.inCallOrder();
  const executing = chain(answeredCalls(run, round, results), (calls) =>
    executeBatch(run, calls, round),
  );
  return chain(executing, () => {
    round.noteWaiting(round.calls);
    if (run.prompt !== undefined) round.prompt = userPrompt(run.prompt);
    return afterTools(run, round);
  });
}

/** What was known about a call when somebody was asked; nothing in histories from elsewhere. */
function askedBefore(open: WaitingCall | undefined) {
  return { details: open && (open.details ?? NO_DETAILS) };
}

/** The calls with their answers; those without one go on waiting. */
function answeredCalls(
  run: Run,
  round: Round,
  results: DeferredToolResults,
): MaybePromise<CallInBatch[]> {
  const record = recordOf(run.messages);
  const calls: CallInBatch[] = [];
  const finding = eachInTurn(round.calls, (placed) => {
    const open = record?.open.get(placed.call.toolCallId);
    const recorded = open?.kind === 'agent' ? open : askedBefore(open);
    const answered = applyDecisions(placed, recorded, results, run.claims !== undefined);
    if (answered !== undefined) calls.push(answered);
    return open && !answered ? keepWaiting(run, round, placed, open) : undefined;
  });
  return chain(finding, () => calls);
}

async function keepWaiting(
  run: Run,
  round: Round,
  { call, place }: CallInBatch,
  open: OpenCall,
): Promise<void> {
  round.deferrals[place] = await recordedDeferral(run, call, open);
}
