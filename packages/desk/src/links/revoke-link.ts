import type { Person } from '../model/person.ts';
import type { Store } from '../store/store.ts';
import { lockedHold } from '../transitions/decide-hold.ts';
import { notFound } from '../transitions/not-found.ts';

/** Revokes an unused link. Other links do not change. */
export function revokeLink(
  store: Store,
  tenant: string,
  id: string,
  by: Person | undefined,
): Promise<void> {
  return store.write(async (tx) => {
    const row = await tx.tokens.lock(id);
    if (row?.kind !== 'decision-link' || row.tenant !== tenant) throw notFound('link', id);
    if (row.end !== undefined) return;
    await tx.tokens.put({ ...row, end: 'revoked', endedAt: await tx.now() });
    const { change } = await lockedHold(tx, tenant, row.about);
    change.record('link-revoked', { holdId: row.about, link: id }, by);
    await change.save();
  });
}
