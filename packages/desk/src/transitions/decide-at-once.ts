import { grantFits, isGrantable } from '../approvers/grant-fits.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { RunChange } from './run-change.ts';

/** Decides a hold that was opened just now by a grant that fits, and counts its use. */
export async function decideByGrant(change: RunChange, hold: HoldRow): Promise<boolean> {
  const { tx, now } = change;
  const { tenant, toolHash } = hold;
  if (toolHash === undefined || !isGrantable(hold)) return false;
  for (const { id } of await tx.grants.liveFor(tenant, toolHash, now)) {
    // Others may have used or revoked it since it was read.
    const grant = await tx.grants.lock(tenant, id);
    if (grant === undefined || !grantFits(grant, hold, now)) continue;
    const used = grant.used + 1;
    await tx.grants.put({ ...grant, used });
    const decidedBy = { kind: 'grant', grantId: id } as const;
    await change.settle({ ...hold, decidedBy, votes: grant.by }, 'decided');
    change.note('hold-granted', { holdId: hold.id, grantId: id, use: used });
    return true;
  }
  return false;
}

/** Decides a hold that was opened just now because the policy holds nothing yet. */
export async function decideByShadow(change: RunChange, hold: HoldRow): Promise<void> {
  await change.settle({ ...hold, decidedBy: { kind: 'shadow' } }, 'decided');
  change.note('hold-shadowed', { holdId: hold.id });
}
