import { applyDecisions } from '../../execution/apply-decisions.ts';
import { executeBatch } from '../../execution/execute-batch.ts';
import type { CallInBatch } from '../../execution/call-in-batch.ts';
import { invariant } from '../../internal/invariant.ts';
import { NO_DETAILS } from '../../messages/call-details.ts';
import { restoreDeferral } from '../describe-deferred.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ApplyResults, Step } from '../step.ts';
import { requestDecisions } from './call-tools.ts';
import { userPromptPart } from './start-run.ts';

/** Executes the approved calls of a parked step, and records the other decisions and results. All of them are validated. */
export async function applyResults(run: Run, { results }: ApplyResults): Promise<Step> {
  const { record, pending } = invariant(run.parkedStep, 'results are applied to a parked step');
  const round = new Round(run, pending, 'calls');
  run.round = round;

  const decided: CallInBatch[] = [];
  for (const entry of round.calls) {
    const recorded = record?.open.get(entry.call.toolCallId);
    // Another framework may have parked the history. The details of the request are empty then.
    const request =
      recorded?.kind === 'agent'
        ? recorded
        : { details: recorded && (recorded.details ?? NO_DETAILS) };
    const call = applyDecisions(entry, request, results, run.claims !== undefined);
    if (call !== undefined) decided.push(call);
    else if (recorded !== undefined) {
      round.deferrals[entry.index] = await restoreDeferral(run, entry.call, recorded);
    }
  }

  await executeBatch(run, decided, round);
  if (round.deferrals.length > 0) round.trackDeferred(round.calls);
  if (run.prompt !== undefined) round.prompt = userPromptPart(run.prompt);
  if (round.deferredCalls.length === 0) return { kind: 'request-model', parts: round.parts() };
  return await requestDecisions(run, round);
}
