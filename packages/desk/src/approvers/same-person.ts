import { UserError } from 'holdpoint';
import type { Person } from '../model/person.ts';

/** Returns the normalised id of a person. Ids that look alike belong to one person, who votes once. */
export function personKey({ id }: Person): string {
  return id.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Returns whether two ids are those of one person. */
export function isSamePerson(one: Person, other: Person): boolean {
  return personKey(one) === personKey(other);
}

/** Throws for an id that looks like another one: with white space at an end, or with invisible characters. */
export function requirePlainId(what: string, { id }: Person): void {
  if (!/^\s|\s$|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(id)) return;
  throw new UserError(
    `The id of ${what} has white space at an end, or invisible characters. Pass the id without them: ` +
      'otherwise one person could vote twice.',
  );
}
