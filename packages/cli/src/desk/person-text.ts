import type { HoldView } from '@holdpoint/desk/client';

type Person = NonNullable<HoldView['requester']>;

/** Returns a person's name with their id. People choose their names, so a name alone proves nothing. */
export function personText({ id, name }: Person): string {
  return name === undefined || name === id ? id : `${name} (${id})`;
}
