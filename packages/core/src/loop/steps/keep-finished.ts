import { recordApprovalRequests } from '../asked-calls.ts';
import { describeDeferred } from '../describe-waiting.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import { recordDeferrals } from './park.ts';

/** A run has failed: of the calls that it was working on, the results that are there and what waits are kept. */
export async function recordInterruptedRound(run: Run): Promise<void> {
  const { round } = run.state;
  if (round === undefined) return;
  run.state.round = undefined;
  const finished = round.parts();
  if (finished.length > 0) run.state.append(run.request(finished, { state: 'interrupted' }));
  // With a ledger it is known that a call may have run, and so it can be asked about again.
  if (run.claims !== undefined) round.reopenUnsettled();
  if (round.deferredCalls.length > 0) await persistDeferrals(run, round, finished.length > 0);
}

/** What has failed already is the error to tell, and not one of writing down what waits. */
async function persistDeferrals(run: Run, round: Round, hasRequest: boolean): Promise<void> {
  if (run.wantsDigests) await tryDescribeDeferred(run, round);
  recordDeferrals(run, round, hasRequest);
  if (run.wantsDigests) await recordApprovalRequests(run, round).catch(() => {});
}

async function tryDescribeDeferred(run: Run, round: Round): Promise<void> {
  try {
    await describeDeferred(run, round);
  } catch {
    // They are kept with what is known of them.
  }
}
