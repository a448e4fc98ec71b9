import { createHash, randomBytes } from 'node:crypto';

/** A token that nobody can guess: 256 random bits, in characters that addresses take. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token. Whoever reads it cannot tell the token, and to look for it compares nothing secret. */
export function tokenId(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
