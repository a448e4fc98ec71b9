import { randomBytes } from 'node:crypto';

/** An id that nobody can guess: 128 random bits. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}
