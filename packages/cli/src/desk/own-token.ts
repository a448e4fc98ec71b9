import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Authorize, Caller } from '@holdpoint/desk';

/** A token that nobody can guess. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Lets in whoever has the token, and nobody else. */
export function byToken(token: string, caller: Caller): Authorize {
  const wanted = hashOf(`Bearer ${token}`);
  return (request) => {
    const given = hashOf(request.headers.get('authorization') ?? '');
    return timingSafeEqual(given, wanted) ? caller : undefined;
  };
}

/** Of one length, whatever was sent. */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
