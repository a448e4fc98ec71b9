import type { JsonObject } from 'holdpoint';

/** What somebody can do who has a token: go on as who they signed in, answer a hold, come in. */
export type TokenKind = 'session' | 'answer-link' | 'entry-link';

/** How a token came to its end before its time. */
export type TokenEnd = 'used' | 'revoked';

/** A random token that was given to somebody. It is not stored: whoever reads this cannot use it. */
export interface TokenRow {
  /** The SHA-256 of the token, in hexadecimal digits. */
  readonly id: string;
  readonly kind: TokenKind;
  readonly tenant: string;
  /** By what it can be found: the id of the person, or of the hold. */
  readonly about: string;
  /** The person who can use it, in the spelling in which ids of people are compared. */
  readonly personKey: string;
  /** What it stands for. */
  readonly data: JsonObject;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it was shown last, of those that are shown often. */
  readonly seenAt?: number | undefined;
  readonly end?: TokenEnd | undefined;
  readonly endedAt?: number | undefined;
}
