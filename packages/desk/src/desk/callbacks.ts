import { UserError } from 'holdpoint';
import {
  type CallbackOptions,
  type CallbackResult,
  makeCallback,
  makeClaimCallback,
  useCallback,
} from '../links/callback.ts';
import type { IssuedToken } from '../links/issue-token.ts';
import { checkOptions, type KeysOf } from '../model/check-keys.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import { checkPerson, checkRoles } from './check-decision.ts';
import { checkId } from './check-query.ts';
import type { DeskContext } from './desk-context.ts';
import { reportSettled } from './settled-holds.ts';

/** A callback address, which is a secret. */
export interface CallbackAddress {
  readonly url: string;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly expiresAt: number;
}

const OPTIONS: KeysOf<CallbackOptions> = { for: true, roles: true, expiresAfter: true, by: true };
const DAY_MS = 24 * 60 * 60_000;
const CALLBACK: Person = Object.freeze({ id: 'callback', name: 'Callback' });

/** Creates an address at which a program supplies the result of an external call, once. */
export async function createCallback(
  { store, url }: DeskContext,
  tenant: string,
  holdId: string,
  options: CallbackOptions,
): Promise<CallbackAddress> {
  const base = requireUrl(url);
  checkOptions<CallbackOptions>('`desk.callbackUrl`', options, OPTIONS);
  const { roles = [], expiresAfter = DAY_MS, by } = options;
  const person = checkPerson('the program that gets the address', options.for ?? CALLBACK);
  const author = by && checkPerson('the author of the address', by);
  const given = { person, roles: checkRoles(roles), expiresAfter, by: author };
  return addressOf(base, await makeCallback(store, tenant, checkId('holdId', holdId), given));
}

/** Creates an address at which another program settles a claim, once. The options are valid. */
export async function createClaimCallback(
  { store, url }: DeskContext,
  tenant: string,
  requestId: string,
  given: {
    readonly by: Person;
    readonly token: string;
    readonly expiresAfter?: number | undefined;
  },
): Promise<CallbackAddress> {
  const { expiresAfter = DAY_MS } = given;
  const base = requireUrl(url);
  return addressOf(
    base,
    await makeClaimCallback(store, tenant, requestId, { ...given, expiresAfter }),
  );
}

/** Records a result with the token of a callback address of any tenant. */
export async function acceptCallback(
  context: DeskContext,
  token: string,
  result: CallbackResult,
): Promise<HoldRow | undefined> {
  const { store, policy, redaction, onError: report } = context;
  const deps = { store, policy, redaction, report };
  const hold = await useCallback(deps, checkId('token', token), result);
  if (hold !== undefined) await reportSettled(context, hold);
  return hold;
}

function addressOf(url: string, { token, row }: IssuedToken): CallbackAddress {
  return Object.freeze({ url: `${url}/v1/callbacks/${token}`, expiresAt: row.expiresAt });
}

function requireUrl(url: string | undefined): string {
  if (url !== undefined) return url;
  throw new UserError(
    'A callback address needs the address of the desk. Pass `url` to `openDesk`.',
  );
}
