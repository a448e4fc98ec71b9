import { requirementsOf, shortestValidity } from '../approvers/requirements.ts';
import { withDigest } from '../approvers/take-vote.ts';
import type { HoldAnswer } from '../model/answer-row.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import { requireHoldMove } from '../model/states.ts';
import type { TaskClaim, TaskRow } from '../model/task-row.ts';
import type { Proposal } from '../model/vote.ts';
import type { Store } from '../store/store.ts';
import { claimedRun } from './claimed-run.ts';
import type { RunChange } from './run-change.ts';

/** Until when a call that was approved may start; `undefined` for ever, or if it does not run. */
export function startsUntil(hold: HoldRow, answer: HoldAnswer | undefined): number | undefined {
  const { settledAt } = hold;
  const validFor = shortestValidity(requirementsOf(hold));
  const runs = answer?.kind === 'approve' || answer?.kind === 'edit';
  return validFor === undefined || settledAt === undefined || !runs
    ? undefined
    : settledAt + validFor;
}

/** Parks a run again whose calls were approved too long ago: these are asked about anew. */
export async function reopen(
  change: RunChange,
  task: TaskRow,
  holds: readonly HoldRow[],
): Promise<void> {
  change.move('parked');
  for (const hold of holds) await reopenHold(change, hold);
  change.set({ openHolds: holds.length });
  await change.tx.tasks.put({ ...task, due: undefined, tries: 0 });
}

async function reopenHold(change: RunChange, hold: HoldRow): Promise<void> {
  const { tx, now } = change;
  const { tenant, id, createdAt, expiresAt } = hold;
  requireHoldMove(hold.state, 'open');
  const anew = {
    ...withDigest({ ...hold, proposal: withoutRemember(hold.proposal) }),
    state: 'open',
    outcome: undefined,
    settledAt: undefined,
    decidedBy: undefined,
    isBegun: undefined,
  } as const;
  // It waits as long as it did at first.
  const until = expiresAt === undefined ? undefined : now + (expiresAt - createdAt);
  const reopened = { ...anew, expiresAt: until };
  await tx.holds.put(reopened);
  if (until !== undefined) {
    await tx.tasks.insert({ tenant, kind: 'expiry', id, due: until, fence: 0, tries: 0 });
  }
  await change.noteHold('hold-reopened', reopened, { digest: anew.digest });
  await change.tell('hold-reopened', { holdId: id });
}

/** What was to be remembered was, when the hold was decided: a second decision does not do it again. */
function withoutRemember(proposal: Proposal | undefined): Proposal | undefined {
  if (proposal?.answer === undefined) return undefined;
  const { remember: _remembered, ...rest } = proposal;
  return rest;
}

/** Opens the holds of calls that could not start in time, and parks their run. */
export function reopenHolds(
  store: Store,
  claim: TaskClaim,
  callDigests: ReadonlySet<string>,
): Promise<void> {
  return store.write(async (tx) => {
    const { change, task } = await claimedRun(tx, claim);
    const decided = await tx.holds.ofRun(claim.tenant, claim.id, ['decided']);
    const lapsed = decided.filter((hold) => callDigests.has(callDigestOf(hold)));
    if (lapsed.length === 0) throw new Error(`Run '${claim.id}' has no decision that has lapsed.`);
    await reopen(change, task, lapsed);
    await change.save();
  });
}
