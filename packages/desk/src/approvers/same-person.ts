import { UserError } from 'holdpoint';
import { HIDDEN } from '../model/hidden-characters.ts';
import type { Person } from '../model/person.ts';

/** Returns the normalised id of a person. Ids that look alike belong to one person, who votes once. */
export function personKey({ id }: Person): string {
  return id.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Returns whether two ids are those of one person. */
export function isSamePerson(one: Person, other: Person): boolean {
  return personKey(one) === personKey(other);
}

/**
 * Throws for an id that can look like another one, because it has outer white space or invisible
 * characters.
 */
export function requirePlainId(what: string, { id }: Person): void {
  // A plain space inside of an id is visible.
  if (!/^\s|\s$/u.test(id) && id.search(HIDDEN) < 0) return;
  throw new UserError(
    `The id of ${what} has white space at an end, or invisible characters. Pass the id without them: ` +
      'otherwise one person could vote twice.',
  );
}
