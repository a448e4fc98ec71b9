import type { Person } from '@holdpoint/desk';

/** A person in a story, with the spellings of their id and their roles. */
export interface Member {
  readonly spellings: readonly string[];
  readonly roles: readonly string[];
}

/** The people in every story. A story names them by their index. */
export const CAST: readonly Member[] = [
  { spellings: ['ada', 'Ada', 'ＡＤＡ'], roles: ['lead'] },
  { spellings: ['lin', 'LIN', 'ｌin'], roles: ['lead'] },
  { spellings: ['kim', 'Kim'], roles: ['lead', 'cfo'] },
  { spellings: ['bob', 'BOB'], roles: ['clerk'] },
];

/** Returns a person with one of the spellings of their id. */
export function personAt(index: number, spelling = 0): Person {
  const { spellings } = memberAt(index);
  return { id: spellings[spelling % spellings.length] ?? spellings[0] ?? '' };
}

/** Returns the roles of a person. */
export function rolesOf(index: number): readonly string[] {
  return memberAt(index).roles;
}

/** Returns the index of the person with an id; `undefined` for an id that is in no story. */
export function indexOf(id: string): number | undefined {
  const index = CAST.findIndex(({ spellings }) => spellings.includes(id));
  return index < 0 ? undefined : index;
}

function memberAt(index: number): Member {
  const member = CAST[index];
  if (member === undefined) throw new Error(`There is no person ${index} in the cast.`);
  return member;
}
