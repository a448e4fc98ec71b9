/** The variables by which the desk of the demo is told its folder, and what only the demo knows. */
export const DEMO_ROOT = 'HOLDPOINT_DEMO_ROOT';
export const DEMO_KEY = 'HOLDPOINT_DEMO_KEY';

/** The file of the desk, in the folder. */
export const DESK_FILE = 'desk.db';

/** What somebody shows at the desk of one demo. */
export function tokenOf(person: string, key: string): string {
  return `${person}-${key}`;
}
