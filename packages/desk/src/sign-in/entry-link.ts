import type { Caller } from '../http/caller.ts';
import { issueToken } from '../links/issue-token.ts';
import { tokenId } from '../links/token.ts';
import { toJson } from '../model/json.ts';
import type { TokenRow } from '../model/token-row.ts';
import type { ReadTx, Store, Tx } from '../store/store.ts';

/** Makes a token with which somebody can come in, once. */
export async function makeEntry(
  store: Store,
  { tenant, person, roles = [] }: Caller,
  expiresAfter: number,
): Promise<string> {
  const { token } = await store.write((tx) =>
    issueToken(tx, {
      kind: 'entry-link',
      tenant,
      about: person.id,
      person,
      // An object gives one.
      data: toJson({ person, roles }) as {},
      expiresAfter,
    }),
  );
  return token;
}

/** Whom a token lets in; `undefined` if it lets nobody in, or no longer. It changes nothing. */
export async function findEntry(tx: ReadTx, token: string): Promise<Caller | undefined> {
  const row = await tx.tokens.get(tokenId(token));
  return row && callerIn(row, await tx.now());
}

/** The same, once: the token is used up. */
export async function takeEntry(tx: Tx, token: string): Promise<Caller | undefined> {
  const row = await tx.tokens.lock(tokenId(token));
  const now = await tx.now();
  const caller = row && callerIn(row, now);
  if (row === undefined || caller === undefined) return undefined;
  await tx.tokens.put({ ...row, end: 'used', endedAt: now });
  return caller;
}

function callerIn(
  { kind, end, expiresAt, tenant, data }: TokenRow,
  now: number,
): Caller | undefined {
  if (kind !== 'entry-link' || end !== undefined || expiresAt <= now) return undefined;
  // Only `makeEntry` writes such rows.
  const { person, roles } = data as unknown as Caller;
  return { tenant, person, roles };
}
