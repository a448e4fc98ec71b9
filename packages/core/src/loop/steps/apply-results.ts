import { applyDecisions } from '../../execution/apply-decisions.ts';
import { executeBatch } from '../../execution/execute-batch.ts';
import type { CallInBatch } from '../../execution/call-in-batch.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { invariant } from '../../internal/invariant.ts';
import { NO_DETAILS } from '../../messages/call-details.ts';
import type { DeferredCallRecord } from '../../messages/step-record.ts';
import { restoreDeferral } from '../resume/restore-deferral.ts';
import { type ParkedStep, recordedDeferral } from '../resume/parked-step.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ApplyResults, Step } from '../step.ts';
import { userPromptPart } from '../user-prompt.ts';
import { nextStep } from './call-tools.ts';

/** Executes the approved calls of a parked step, and records the other decisions and results. All of them are validated. */
export async function applyResults(run: Run, { results }: ApplyResults): Promise<Step> {
  const step = invariant(run.state.parkedStep, 'results are applied to a parked step');
  const round = new Round(run, step.pending);
  run.state.round = round;
  round.inCallOrder();
  const decided = await decidedCalls(run, step, round, results);
  await executeBatch(run, decided, round);
  round.trackDeferred(round.calls);
  if (run.state.prompt !== undefined) round.prompt = userPromptPart(run.state.prompt);
  return nextStep(run, round);
}

/** Returns the calls that have a decision or a result. The others stay deferred. */
async function decidedCalls(
  run: Run,
  step: ParkedStep,
  round: Round,
  results: DeferredToolResults,
): Promise<CallInBatch[]> {
  const decided: CallInBatch[] = [];
  for (const batchCall of round.calls) {
    const open = recordedDeferral(step, batchCall.call);
    const request = open?.kind === 'agent' ? open : requestShown(open);
    const call = applyDecisions(batchCall, request, results, run.claims !== undefined);
    if (call !== undefined) decided.push(call);
    else if (open !== undefined) {
      round.deferrals[batchCall.index] = await restoreDeferral(run, batchCall.call, open);
    }
  }
  return decided;
}

/** Returns the approval request as the approver was shown it; empty if another framework recorded the history. */
function requestShown(open: DeferredCallRecord | undefined) {
  return { details: open && (open.details ?? NO_DETAILS) };
}
