import type { Caller } from '../http/caller.ts';
import { issueToken } from '../links/issue-token.ts';
import { tokenId } from '../links/token.ts';
import { toJson } from '../model/json.ts';
import type { TokenRow } from '../model/token-row.ts';
import type { ReadTx, Store, Tx } from '../store/store.ts';

/** Creates a token that signs a person in, once. */
export async function createSignInToken(
  store: Store,
  { tenant, person, roles = [] }: Caller,
  expiresAfter: number,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const { token, row } = await store.write((tx) =>
    issueToken(tx, {
      kind: 'entry-link',
      tenant,
      about: person.id,
      person,
      // The JSON of an object is an object.
      data: toJson({ person, roles }) as {},
      expiresAfter,
    }),
  );
  return { token, expiresAt: row.expiresAt };
}

/** Returns the person whom a token signs in; `undefined` if it is not valid. Changes nothing. */
export async function findSignIn(tx: ReadTx, token: string): Promise<Caller | undefined> {
  const row = await tx.tokens.get(tokenId(token));
  return row && callerIn(row, await tx.now());
}

/** Uses a token, once. Returns the person whom it signs in, or `undefined` if it is not valid. */
export async function useSignInToken(tx: Tx, token: string): Promise<Caller | undefined> {
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
  // Only `createSignInToken` writes such rows.
  const { person, roles } = data as unknown as Caller;
  return { tenant, person, roles };
}
