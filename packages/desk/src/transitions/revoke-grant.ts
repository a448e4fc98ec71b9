import type { GrantRow } from '../model/grant-row.ts';
import type { Person } from '../model/person.ts';
import type { Store } from '../store/store.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';

/** Revokes a grant: it decides nothing any more. One that is revoked stays as it is. */
export function revokeGrant(
  store: Store,
  tenant: string,
  grantId: string,
  by: Person,
): Promise<GrantRow> {
  return store.write(async (tx) => {
    const found = await tx.grants.get(tenant, grantId);
    // The run that it was given in has the audit of it, and is locked before everything else.
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
