import { UserError } from 'holdpoint';

const MAX_LENGTH = 200;

/**
 * Throws for a name that could be taken for another one, or that a database cannot hold: it is given back
 * as it is.
 */
export function checkName(what: string, name: string): string {
  // Programs without types give anything.
  const given: unknown = name;
  if (typeof given !== 'string' || given === '') {
    throw new UserError(`The ${what} is no text, or empty. Give one.`);
  }
  if (given.length > MAX_LENGTH) {
    throw new UserError(`The ${what} has ${given.length} characters; ${MAX_LENGTH} is the most.`);
  }
  if (/[\p{Cc}\p{Cs}]/u.test(given)) {
    throw new UserError(`The ${what} has control characters, or halves of characters, in it.`);
  }
  return given;
}
