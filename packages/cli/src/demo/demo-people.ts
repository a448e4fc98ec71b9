import type { Caller } from '@holdpoint/desk';

/** The variables by which the desk of the demo is told its folder, its address, and what only the demo knows. */
export const DEMO_ROOT = 'HOLDPOINT_DEMO_ROOT';
export const DEMO_URL = 'HOLDPOINT_DEMO_URL';
export const DEMO_KEY = 'HOLDPOINT_DEMO_KEY';

/** The files of the desk and of what the shop has paid, in the folder. */
export const DESK_FILE = 'desk.db';
export const BOOKS_FILE = 'books.txt';

/** Somebody who plays along. */
export type PersonId = 'ada' | 'grace' | 'edsger' | 'mallory';

/** Ada asks, you are Grace, and some things need Edsger as well. */
export const PEOPLE: Readonly<Record<PersonId, Caller>> = {
  ada: somebody('Ada'),
  grace: somebody('Grace', ['treasurer']),
  edsger: somebody('Edsger', ['treasurer']),
  mallory: somebody('Mallory'),
};

function somebody(name: string, roles: readonly string[] = []): Caller {
  return { tenant: 'default', person: { id: name.toLowerCase(), name }, roles };
}

/** What somebody shows at the desk of one demo. */
export function tokenOf(person: string, key: string): string {
  return `${person}-${key}`;
}
