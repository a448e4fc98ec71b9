import type { GrantRow } from '../model/grant-row.ts';
import type { Person } from '../model/person.ts';
import type { Store } from '../store/store.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';

/** Revokes a grant, so that it approves no more calls. A revoked grant does not change. */
export function revokeGrant(
  store: Store,
  tenant: string,
  grantId: string,
  by: Person,
): Promise<GrantRow> {
  return store.write(async (tx) => {
    const found = await tx.grants.get(tenant, grantId);
    // The audit of the grant belongs to the run that created it. Runs are locked before other rows.
    const change = found && (await RunChange.of(tx, tenant, found.runId));
    const grant = found && (await tx.grants.lock(tenant, grantId));
    if (change === undefined || grant === undefined) throw notFound('grant', grantId);
    if (grant.revokedAt !== undefined) return grant;
    const revoked = { ...grant, revokedAt: change.now, revokedBy: by };
    await tx.grants.put(revoked);
    change.record('grant-revoked', { grantId, used: grant.used }, by);
    await change.emit('grant-revoked', { grantId });
    await change.save();
    return Object.freeze(revoked);
  });
}
