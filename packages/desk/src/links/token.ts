import { createHash, randomBytes } from 'node:crypto';

/** Returns a random token of 256 bits, in characters that are valid in addresses. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a token. It does not reveal the token, and a look-up compares nothing secret. */
export function tokenId(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
