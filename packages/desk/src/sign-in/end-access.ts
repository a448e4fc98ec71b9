import { personKey } from '../approvers/same-person.ts';
import { revokeLink } from '../links/revoke-link.ts';
import type { TokenKind } from '../model/token-row.ts';
import type { Store, Tx } from '../store/store.ts';

/**
 * Ends the access of a person: sessions, and unused sign-in links, decision links and callback
 * addresses. Any spelling of the id matches. Returns the number of ended sessions.
 */
export async function endAccess(store: Store, tenant: string, personId: string): Promise<number> {
  const key = personKey({ id: personId });
  const sessions = await store.write(async (tx) => {
    // Sign-in links end first, so that a session that one of them starts now is found afterwards.
    await revokeAll(tx, tenant, 'entry-link', key);
    await revokeAll(tx, tenant, 'callback', key);
    return revokeAll(tx, tenant, 'session', key);
  });
  const links = await store.read((tx) => tx.tokens.findOf(tenant, 'decision-link', key));
  // The audit of each run records that its link was revoked.
  for (const { id } of links) await revokeLink(store, tenant, id, undefined);
  return sessions;
}

async function revokeAll(tx: Tx, tenant: string, kind: TokenKind, key: string): Promise<number> {
  const endedAt = await tx.now();
  let revoked = 0;
  for (const { id } of await tx.tokens.findOf(tenant, kind, key)) {
    const row = await tx.tokens.lock(id);
    if (row === undefined || row.end !== undefined) continue;
    await tx.tokens.put({ ...row, end: 'revoked', endedAt });
    revoked += 1;
  }
  return revoked;
}
