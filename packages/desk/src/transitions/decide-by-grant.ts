import { approverOf, voteNow } from '../approvers/delegated.ts';
import { grantFits, isGrantable } from '../approvers/grant-fits.ts';
import { type Policy, whyNotDecide, withRequirementNow } from '../approvers/policy.ts';
import { requirementsOf, widestGrant } from '../approvers/requirements.ts';
import { personKey } from '../approvers/same-person.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Vote } from '../model/vote.ts';
import { changesRequestedBefore } from './requested-changes.ts';
import type { RunChange } from './run-change.ts';
import { isGrantAsRecorded, tamperedGrant } from './verify-rows.ts';

/**
 * Decides a new hold by a grant, and counts the use. The approvers of the grant must be
 * able to approve this hold now, by its requirements and by the policy. A person decides if changes of an earlier call
 * of the tool were requested in this run: they see the response.
 */
export async function decideByGrant(
  change: RunChange,
  policy: Policy,
  opened: HoldRow,
  report: (error: unknown) => void,
): Promise<boolean> {
  const { tx, now } = change;
  const hold = withRequirementNow(policy, opened);
  const { tenant, toolHash, agent, conversationId, requester } = hold;
  if (toolHash === undefined || !isGrantable(hold)) return false;
  // Without a policy that allows grants, no grant exists.
  if (widestGrant(requirementsOf(hold)) === 'never') return false;
  const requesterKey = requester && personKey(requester);
  const call = { toolHash, agent, conversationId, requesterKey };
  for (const found of await tx.grants.liveFor(tenant, call, now)) {
    // `rolesOf` is called only for grants that would fit otherwise.
    const by = grantFits(found, hold, now) ? await votesNow(policy, found) : undefined;
    if (by === undefined || !grantFits({ ...found, by }, hold, now)) continue;
    if (!(await letsDecide(policy, change, hold, { ...found, by }))) continue;
    if ((await changesRequestedBefore(tx, hold)).length > 0) return false;
    // Another run may have used it up, or an approver revoked it, since it was read.
    const grant = await tx.grants.lock(tenant, found.id);
    if (grant === undefined || !grantFits({ ...grant, by }, hold, now)) continue;
    if (!(await isGrantAsRecorded(tx, grant))) {
      report(tamperedGrant(grant));
      continue;
    }
    const used = grant.used + 1;
    await tx.grants.put({ ...grant, used });
    const decidedBy = { kind: 'grant', grantId: grant.id } as const;
    const settled = await change.settle({ ...hold, decidedBy, votes: grant.by }, 'decided');
    await change.recordHold('hold-granted', settled, { grantId: grant.id, use: used });
    return true;
  }
  return false;
}

/** Returns the votes for a grant with the roles that its approvers have now; `undefined` if one of them has left. */
async function votesNow(policy: Policy, { tenant, by }: GrantRow): Promise<Vote[] | undefined> {
  const votes: Vote[] = [];
  for (const vote of by) {
    const now = await voteNow(vote, tenant, policy.rolesOf);
    if (now === undefined) return undefined;
    votes.push(now);
  }
  return votes;
}

/** Returns whether the policy permits each approver of a grant to decide a hold. */
async function letsDecide(
  policy: Policy,
  { run }: RunChange,
  hold: HoldRow,
  { by }: GrantRow,
): Promise<boolean> {
  for (const vote of by) {
    // No grant has a delegated vote: it would outlive the absence.
    if (vote.onBehalfOf !== undefined) return false;
    if ((await whyNotDecide(policy, hold, approverOf(vote), () => run)) !== undefined) return false;
  }
  return true;
}

/** Decides a new hold because the policy is in shadow mode and only records it. */
export async function decideByShadow(change: RunChange, hold: HoldRow): Promise<void> {
  const settled = await change.settle({ ...hold, decidedBy: { kind: 'shadow' } }, 'decided');
  await change.recordHold('hold-shadowed', settled);
}
