import { UserError } from 'holdpoint';
import type { Person } from '../model/person.ts';

/** The one spelling in which ids of people are compared: what looks alike is one person, and votes once. */
export function personKey({ id }: Person): string {
  return id.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Returns whether two ids are those of one person. */
export function isSamePerson(one: Person, other: Person): boolean {
  return personKey(one) === personKey(other);
}

/** Throws for an id that looks like another one: with white space at an end, or with what cannot be seen. */
export function requirePlainId(what: string, { id }: Person): void {
  if (!/^\s|\s$|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(id)) return;
  throw new UserError(
    `The id of ${what} has white space at an end, or characters that cannot be seen. Pass the id without them: ` +
      'otherwise one person could vote twice.',
  );
}
