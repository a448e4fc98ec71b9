import { recordApprovalRequests } from '../resume/approval-integrity.ts';
import { describeDeferred } from '../describe-deferred.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import { recordDeferrals } from './park.ts';

/** Records the results and the pending calls of the current round of a run that failed or was stopped. */
export async function recordInterruptedRound(run: Run): Promise<void> {
  const { round } = run;
  if (round === undefined) return;
  run.round = undefined;
  const finished = round.parts();
  if (finished.length > 0) run.append(run.request(finished, { state: 'interrupted' }));
  // With a ledger a second execution is ruled out, so an approver can review the call again.
  if (run.claims !== undefined) round.reopenUnsettled();
  if (round.deferredCalls.length > 0) await persistDeferrals(run, round, finished.length > 0);
}

/** Records the deferrals. The run reports its first error, so errors of describing and recording requests are ignored. */
async function persistDeferrals(run: Run, round: Round, hasRequest: boolean): Promise<void> {
  if (run.wantsDigests) await tryDescribeDeferred(run, round);
  recordDeferrals(run, round, hasRequest);
  if (run.wantsDigests) await recordApprovalRequests(run, round).catch(() => {});
}

async function tryDescribeDeferred(run: Run, round: Round): Promise<void> {
  try {
    await describeDeferred(run, round);
  } catch {
    // The requests stay without the missing details.
  }
}
