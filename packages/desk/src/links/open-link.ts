import type { Store } from '../store/store.ts';
import { linkStatus, type OpenedLink, storedLink } from './answer-link.ts';
import { tokenId } from './token.ts';

/** The tenant of a link; `undefined` if there is no such link. */
export async function tenantOfLink(store: Store, token: string): Promise<string | undefined> {
  const row = await store.read((tx) => tx.tokens.get(tokenId(token)));
  return row?.kind === 'answer-link' ? row.tenant : undefined;
}

/**
 * What a link of a tenant is about, and whether it can be used; `undefined` if the tenant has no such link.
 * It changes nothing.
 */
export function openLink(
  store: Store,
  tenant: string,
  token: string,
): Promise<OpenedLink | undefined> {
  return store.read(async (tx) => {
    const row = await tx.tokens.get(tokenId(token));
    if (row?.kind !== 'answer-link' || row.tenant !== tenant) return undefined;
    const hold = await tx.holds.get(row.tenant, row.about);
    if (hold === undefined) return undefined;
    const status = linkStatus(row, hold, await tx.now());
    return Object.freeze({ link: storedLink(row), status, hold });
  });
}
