import { UserError } from 'holdpoint';
import { isThenable } from '../model/check-keys.ts';

const MAX_LENGTH = 200;

/**
 * Validates a name, and returns it unchanged. Throws for a name that could be mistaken for another one, or that
 * a database cannot store.
 */
export function checkName(what: string, name: string): string {
  // Programs without types may pass any value.
  const given: unknown = name;
  if (isThenable(given)) {
    throw new UserError(`The ${what} is a promise. Did you forget \`await\`?`);
  }
  if (typeof given !== 'string' || given === '') {
    throw new UserError(`The ${what} is empty or not a text. Pass a text.`);
  }
  if (given.length > MAX_LENGTH) {
    throw new UserError(`The ${what} has ${given.length} characters. Pass at most ${MAX_LENGTH}.`);
  }
  if (/[\p{Cc}\p{Cs}]/u.test(given)) {
    throw new UserError(`The ${what} contains control characters or invalid Unicode. Remove them.`);
  }
  return given;
}
