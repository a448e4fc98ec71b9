import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { TokenRow } from '../model/token-row.ts';

/** For whom a link is made, and what they can do with it. */
export interface AnswerLinkOptions {
  /**
   * Who answers with it. Whoever has the link is taken for this person: send it to them only. The id must be
   * the one that they have when they sign in, or they could answer twice.
   */
  readonly for: Person;
  /** What they are to the application. */
  readonly roles?: readonly string[] | undefined;
  /** How long it can be used, in milliseconds. */
  readonly expiresAfter: number;
  /** The one answer that it can give; both unless given. */
  readonly answer?: 'approve' | 'deny' | undefined;
}

/** A link with which one person can answer one hold, once. */
export interface AnswerLink {
  /** To revoke it by. It is no secret. */
  readonly id: string;
  /** The address. Whoever has it can answer. */
  readonly url: string;
  readonly expiresAt: number;
}

/** What is stored of a link. */
export interface StoredLink {
  readonly id: string;
  readonly tenant: string;
  readonly holdId: string;
  /** What it is about. */
  readonly digest: string;
  readonly person: Person;
  readonly roles: readonly string[];
  readonly answer?: 'approve' | 'deny' | undefined;
  readonly expiresAt: number;
}

/** Whether a link can be used: open; or used, revoked, expired, about something else than what waits, or late. */
export type LinkStatus = 'open' | 'used' | 'revoked' | 'expired' | 'stale' | 'settled';

/** A link that somebody has come with. */
export interface OpenedLink {
  readonly link: StoredLink;
  readonly status: LinkStatus;
  readonly hold: HoldRow;
}

/** The link in a row. */
export function storedLink({ id, tenant, about, data, expiresAt }: TokenRow): StoredLink {
  // Only `makeLink` writes such rows.
  const kept = data as unknown as Pick<StoredLink, 'digest' | 'person' | 'roles' | 'answer'>;
  return Object.freeze({ id, tenant, holdId: about, ...kept, expiresAt });
}

/** Whether a link can be used now. */
export function linkStatus(row: TokenRow, hold: HoldRow, now: number): LinkStatus {
  if (row.end !== undefined) return row.end;
  if (row.expiresAt <= now) return 'expired';
  if (hold.state !== 'open' || (hold.expiresAt !== undefined && hold.expiresAt <= now)) {
    return 'settled';
  }
  return row.data['digest'] === hold.digest ? 'open' : 'stale';
}
