import type { JsonObject } from 'holdpoint';

/** The purpose of a token: a session, a decision link, a sign-in link, a callback address, a key of a service account or a card in a chat. */
export type TokenKind =
  | 'session'
  | 'decision-link'
  | 'entry-link'
  | 'callback'
  | 'api-key'
  | 'chat-card';

/** The reason why a token ended before it expired. */
export type TokenEnd = 'used' | 'revoked';

/** A token that was issued to a person. Only its hash is stored, so a reader of the row cannot use it. */
export interface TokenRow {
  /**
   * The SHA-256 of the token, in hexadecimal digits. For a card in a chat, a random id, which
   * grants no right.
   */
  readonly id: string;
  readonly kind: TokenKind;
  readonly tenant: string;
  /** The id of the person or the hold that it belongs to. */
  readonly about: string;
  /** The person who can use it, in the spelling in which ids of people are compared. */
  readonly personKey: string;
  /** The data of the token. */
  readonly data: JsonObject;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The time of the last recorded use, for sessions. */
  readonly seenAt?: number | undefined;
  readonly end?: TokenEnd | undefined;
  readonly endedAt?: number | undefined;
}
