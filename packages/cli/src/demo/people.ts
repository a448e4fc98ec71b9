import type { Caller } from '@holdpoint/desk';

/** Environment variables that pass the folder, the address and the key of the tokens to the desk. */
export const DEMO_ROOT = 'HOLDPOINT_DEMO_ROOT';
export const DEMO_URL = 'HOLDPOINT_DEMO_URL';
export const DEMO_KEY = 'HOLDPOINT_DEMO_KEY';

/** Files in the folder of the demo. */
export const DESK_FILE = 'desk.db';
export const JOURNAL_FILE = 'journal.txt';

/** A person of the demo. */
export type PersonId = 'ada' | 'grace' | 'edsger' | 'mallory';

/** Ada is the requester; the user is Grace; Edsger is the second treasurer. */
export const PEOPLE: Readonly<Record<PersonId, Caller>> = {
  ada: createPerson('Ada'),
  grace: createPerson('Grace', ['treasurer']),
  edsger: createPerson('Edsger', ['treasurer']),
  mallory: createPerson('Mallory'),
};

function createPerson(name: string, roles: readonly string[] = []): Caller {
  return { tenant: 'default', person: { id: name.toLowerCase(), name }, roles };
}

/** Returns a person's token for the desk of one demo. */
export function tokenOf(person: string, key: string): string {
  return `${person}-${key}`;
}
