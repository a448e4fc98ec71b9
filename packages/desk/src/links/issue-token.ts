import { personKey } from '../approvers/same-person.ts';
import { checkWhole } from '../model/check-whole.ts';
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
  /** The time until it expires, in milliseconds. */
  readonly expiresAfter: number;
};

/** A token and its stored row. */
export interface IssuedToken {
  /** The secret for its user. Only its hash is stored. */
  readonly token: string;
  readonly row: TokenRow;
}

/** The time for which expired tokens are kept, so that a visitor learns that they expired, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
/** The number of old tokens that each new one removes. */
const REMOVED_AT_ONCE = 20;

/** Issues a token, and removes some that expired long ago. */
export async function issueToken(tx: Tx, fresh: NewToken): Promise<IssuedToken> {
  const { expiresAfter, person, ...fields } = fresh;
  checkWhole('expiresAfter', expiresAfter);
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
