import { UserError } from 'holdpoint';
import type { CallbackOptions } from '../links/callback.ts';
import { checkOptions, type KeysOf } from '../model/check-keys.ts';
import type { Person } from '../model/person.ts';
import { checkPerson, checkRoles } from './check-decision.ts';

const OPTIONS: KeysOf<CallbackOptions> = { for: true, roles: true, expiresAfter: true };
const DAY_MS = 24 * 60 * 60_000;

/** Validates the options of a callback address. */
export function checkCallback(
  url: string | undefined,
  options: CallbackOptions,
): { readonly person: Person; readonly roles: readonly string[]; readonly expiresAfter: number } {
  if (url === undefined) {
    throw new UserError(
      'A callback address needs the address of the desk. Pass `url` to `openDesk`.',
    );
  }
  checkOptions<CallbackOptions>('`desk.callbackUrl`', options, OPTIONS);
  const { roles = [], expiresAfter = DAY_MS } = options;
  const person = checkPerson('the program that gets the address', options.for ?? CALLBACK);
  return { person, roles: checkRoles(roles), expiresAfter };
}

const CALLBACK: Person = Object.freeze({ id: 'callback', name: 'Callback' });
