import { randomBytes } from 'node:crypto';

/** Returns a random id of 128 bits. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}
