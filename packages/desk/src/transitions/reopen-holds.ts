import { nextTimer } from '../approvers/hold-timer.ts';
import { requirementsOf, shortestValidity } from '../approvers/requirements.ts';
import { withDigest } from '../approvers/take-vote.ts';
import type { Decision } from '../model/decision-row.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import { requireHoldMove } from '../model/states.ts';
import type { Proposal } from '../model/vote.ts';
import type { ClaimedRun } from './claimed-run.ts';
import type { RunChange } from './run-change.ts';
import type { RunWriter } from './run-writer.ts';

/** Returns the time until which an approved call may start; `undefined` for no limit, or if it does not execute. */
export function startsUntil(hold: HoldRow, decision: Decision | undefined): number | undefined {
  const { settledAt } = hold;
  const validFor = shortestValidity(requirementsOf(hold));
  const executes = decision?.kind === 'approve';
  return validFor === undefined || settledAt === undefined || !executes
    ? undefined
    : settledAt + validFor;
}

/** Parks a run again whose approvals have expired, and requests them again. */
export async function reopen(claimed: ClaimedRun, holds: readonly HoldRow[]): Promise<void> {
  const { change } = claimed;
  change.move('parked');
  for (const hold of holds) await reopenHold(change, hold);
  change.set({ openHolds: holds.length });
  await claimed.setTask({ due: undefined, attempts: 0 });
}

/** Opens a decided hold again. */
export async function reopenHold(change: RunChange, hold: HoldRow): Promise<void> {
  const { tx, now } = change;
  const { tenant, id, createdAt, expiresAt } = hold;
  requireHoldMove(hold.state, 'open');
  const anew = {
    ...withDigest({ ...hold, proposal: withoutGrantRequest(hold.proposal) }),
    state: 'open',
    outcome: undefined,
    settledAt: undefined,
    decidedBy: undefined,
    isStarted: undefined,
  } as const;
  // The new hold has the full time until it expires.
  const until = expiresAt === undefined ? undefined : now + (expiresAt - createdAt);
  const reopened = { ...anew, expiresAt: until };
  await tx.holds.put(reopened);
  const due = nextTimer(reopened);
  if (due !== undefined) {
    await tx.tasks.insert({ tenant, kind: 'expiry', id, due, fence: 0, attempts: 0 });
  }
  await change.recordHold('hold-reopened', reopened, { digest: anew.digest });
  await change.emit('hold-reopened', { holdId: id });
}

/** The first decision created the requested grant, so a second one must not create another. */
function withoutGrantRequest(proposal: Proposal | undefined): Proposal | undefined {
  if (proposal?.decision === undefined) return undefined;
  const { grant: _grant, ...rest } = proposal;
  return rest;
}

/** Opens the holds of calls that could not start in time, and parks their run. */
export function reopenHolds(writer: RunWriter, callDigests: ReadonlySet<string>): Promise<void> {
  const { tenant, id } = writer.claim;
  return writer.write(async (claimed) => {
    const decided = await claimed.tx.holds.ofRun(tenant, id, ['decided']);
    const expired = decided.filter((hold) => callDigests.has(callDigestOf(hold)));
    if (expired.length === 0) throw new Error(`Run \`${id}\` has no expired decision.`);
    await reopen(claimed, expired);
  });
}
