import type { Person } from '@holdpoint/desk';

/** The people in every story, by their index, with the roles that they have at its beginning. */
const CAST: readonly { readonly id: string; readonly roles: readonly string[] }[] = [
  { id: 'ada', roles: ['lead'] },
  { id: 'lin', roles: ['lead', 'manager'] },
  { id: 'max', roles: ['manager'] },
  { id: 'dee', roles: ['director'] },
  { id: 'bob', roles: [] },
];

export const PEOPLE = CAST.length;

export function personAt(index: number): Person {
  return { id: CAST[index]?.id ?? '' };
}

export function firstRolesOf(index: number): readonly string[] {
  return CAST[index]?.roles ?? [];
}

export function indexOf(id: string): number {
  return CAST.findIndex((one) => one.id === id);
}
