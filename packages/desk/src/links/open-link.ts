import type { Store } from '../store/store.ts';
import { linkStatus, type OpenedLink, storedLink } from './answer-link.ts';
import { tokenId } from './token.ts';

/** What a link is about, and whether it can be used; `undefined` if there is none. It changes nothing. */
export function openLink(store: Store, token: string): Promise<OpenedLink | undefined> {
  return store.read(async (tx) => {
    const row = await tx.tokens.get(tokenId(token));
    if (row?.kind !== 'answer-link') return undefined;
    const hold = await tx.holds.get(row.tenant, row.about);
    if (hold === undefined) return undefined;
    const status = linkStatus(row, hold, await tx.now());
    return Object.freeze({ link: storedLink(row), status, hold });
  });
}
