import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { TokenRow } from '../model/token-row.ts';

/** Options of `desk.decisionLink`. */
export interface DecisionLinkOptions {
  /**
   * The approver. The desk takes every user of the link for this person, so send it to them only. Pass the id that
   * they have when they sign in; otherwise they could vote twice.
   */
  readonly for: Person;
  /** The roles of the approver. With `rolesOf`, only those count that the approver still has. */
  readonly roles?: readonly string[] | undefined;
  /** The time until it expires, in milliseconds. */
  readonly expiresAfter: number;
  /** The only decision that the link accepts; both by default. */
  readonly decision?: 'approve' | 'deny' | undefined;
}

/** A link with which one person can decide one hold, once. */
export interface DecisionLink {
  /** The id to revoke it with. It is not a secret. */
  readonly id: string;
  /** The address. It is a secret: it lets its user decide. */
  readonly url: string;
  readonly expiresAt: number;
}

/** A stored link. */
export interface StoredLink {
  readonly id: string;
  readonly tenant: string;
  readonly holdId: string;
  /** The digest of the hold when the link was created. */
  readonly digest: string;
  readonly person: Person;
  readonly roles: readonly string[];
  readonly decision?: 'approve' | 'deny' | undefined;
  readonly expiresAt: number;
}

/** The state of a link. `stale` means that the hold has changed, `settled` that it is decided or expired. */
export type LinkStatus = 'open' | 'used' | 'revoked' | 'expired' | 'stale' | 'settled';

/** A link that a visitor opened, with its hold. */
export interface OpenedLink {
  readonly link: StoredLink;
  readonly status: LinkStatus;
  readonly hold: HoldRow;
}

/** The link in a row. */
export function storedLink({ id, tenant, about, data, expiresAt }: TokenRow): StoredLink {
  // Only `makeLink` writes such rows.
  const kept = data as unknown as Pick<StoredLink, 'digest' | 'person' | 'roles' | 'decision'>;
  return Object.freeze({ id, tenant, holdId: about, ...kept, expiresAt });
}

/** Returns whether a link can be used now. */
export function linkStatus(row: TokenRow, hold: HoldRow, now: number): LinkStatus {
  if (row.end !== undefined) return row.end;
  if (row.expiresAt <= now) return 'expired';
  if (hold.state !== 'open' || (hold.expiresAt !== undefined && hold.expiresAt <= now)) {
    return 'settled';
  }
  return row.data['digest'] === hold.digest ? 'open' : 'stale';
}
