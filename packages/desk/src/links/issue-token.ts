import { UserError } from 'holdpoint';
import { personKey } from '../approvers/same-person.ts';
import type { Person } from '../model/person.ts';
import type { TokenRow } from '../model/token-row.ts';
import type { Tx } from '../store/store.ts';
import { newToken, tokenId } from './token.ts';

/** A token before it is issued. */
export type NewToken = Omit<
  TokenRow,
  'id' | 'personKey' | 'createdAt' | 'expiresAt' | 'end' | 'endedAt'
> & {
  /** The person who can use it. */
  readonly person: Person;
  /** How long it can be used, in milliseconds. */
  readonly expiresAfter: number;
};

/** A token, and what is stored of it. */
export interface IssuedToken {
  /** The secret for its user. Only its hash is stored. */
  readonly token: string;
  readonly row: TokenRow;
}

/** So long those that have expired can still say so, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
/** How many of those from before are removed for each that is new. */
const REMOVED_AT_ONCE = 20;

/** Issues a token. Some that have expired long ago are removed for it. */
export async function issueToken(tx: Tx, fresh: NewToken): Promise<IssuedToken> {
  const { expiresAfter, person, ...fields } = fresh;
  if (!Number.isFinite(expiresAfter) || expiresAfter <= 0) {
    throw new UserError(
      `\`expiresAfter\` is ${String(expiresAfter)}, and a token must expire. Pass a number of milliseconds above 0.`,
    );
  }
  const now = await tx.now();
  const token = newToken();
  const row = {
    ...fields,
    id: tokenId(token),
    personKey: personKey(person),
    createdAt: now,
    expiresAt: now + expiresAfter,
  };
  await tx.tokens.removeExpired(now - KEPT_MS, REMOVED_AT_ONCE);
  await tx.tokens.insert(row);
  return Object.freeze({ token, row: Object.freeze(row) });
}
