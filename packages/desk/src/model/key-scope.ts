/** The scopes of the keys of service accounts. */
export const KEY_SCOPES = ['start', 'request', 'decide', 'read', 'administer'] as const;

/**
 * A scope of a key. `start`: start, continue, cancel and retry runs. `request`: create, claim and
 * settle its own requests. `decide`: decide holds that the key can read, if their policy names the
 * account. `read`: read everything of its tenant. `administer`: manage keys, data and dead letters.
 */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** The beginning of the ids of service accounts. No person has such an id. */
export const ACCOUNT_PREFIX = 'service:';

/** Returns whether an id is that of a service account. */
export function isAccountId(id: string): boolean {
  return id.normalize('NFKC').toLowerCase().startsWith(ACCOUNT_PREFIX);
}
