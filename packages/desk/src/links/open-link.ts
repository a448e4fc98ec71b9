import type { Store } from '../store/store.ts';
import { linkStatus, type OpenedLink, storedLink } from './decision-link.ts';
import { tokenId } from './token.ts';

/** Returns the tenant of a link; `undefined` for an unknown link. */
export async function tenantOfLink(store: Store, token: string): Promise<string | undefined> {
  const row = await store.read((tx) => tx.tokens.get(tokenId(token)));
  return row?.kind === 'decision-link' ? row.tenant : undefined;
}

/**
 * Returns a link of a tenant with its hold and its state; `undefined` if the tenant has no such link.
 * It changes nothing.
 */
export function openLink(
  store: Store,
  tenant: string,
  token: string,
): Promise<OpenedLink | undefined> {
  return store.read(async (tx) => {
    const row = await tx.tokens.get(tokenId(token));
    if (row?.kind !== 'decision-link' || row.tenant !== tenant) return undefined;
    const hold = await tx.holds.get(row.tenant, row.about);
    if (hold === undefined) return undefined;
    const status = linkStatus(row, hold, await tx.now());
    return Object.freeze({ link: storedLink(row), status, hold });
  });
}
