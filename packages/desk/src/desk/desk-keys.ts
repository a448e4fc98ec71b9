import { UserError } from 'holdpoint';
import {
  type ApiKey,
  type CreatedKey,
  createKey,
  type FoundKey,
  findKey,
  listKeys,
  revokeKey,
  rotateKey,
} from '../links/api-key.ts';
import { checkOptions, type KeysOf, kindOf } from '../model/check-keys.ts';
import { KEY_SCOPES, type KeyScope } from '../model/key-scope.ts';
import type { Person } from '../model/person.ts';
import type { Store } from '../store/store.ts';
import { checkPerson } from './check-decision.ts';
import { checkId } from './check-query.ts';
import { checkWhole } from '../model/check-whole.ts';
import { type ByOption, checkBy, requireOneOf } from './method-options.ts';

/** Options of `desk.keys.create`. */
export interface CreateKeyOptions {
  /** The name of the service account, in lower case, such as `billing`. Its id is `service:billing`. */
  readonly account: string;
  readonly scopes: readonly KeyScope[];
  /** The time until the key expires, in milliseconds; 90 days by default, at most 366. */
  readonly expiresAfter?: number | undefined;
  /** The administrator. */
  readonly by: Person;
}

/** Options of `desk.keys.rotate`. */
export interface RotateKeyOptions extends ByOption {
  /** The time until the new key expires, in milliseconds; 90 days by default, at most 366. */
  readonly expiresAfter?: number | undefined;
}

const CREATE_OPTIONS: KeysOf<CreateKeyOptions> = {
  account: true,
  scopes: true,
  expiresAfter: true,
  by: true,
};
const ROTATE_OPTIONS: KeysOf<RotateKeyOptions> = { by: true, expiresAfter: true };

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 366;

/** The keys of the service accounts of one tenant. `desk.keys` returns it. */
export class DeskKeys {
  readonly #store: Store;
  readonly #tenant: string;

  /** @internal Use `desk.keys`. */
  constructor(store: Store, tenant: string) {
    this.#store = store;
    this.#tenant = tenant;
  }

  /** Creates a key, and its account if it is the first one. The secret is returned once. */
  async create(options: CreateKeyOptions): Promise<CreatedKey> {
    checkOptions<CreateKeyOptions>('`desk.keys.create`', options, CREATE_OPTIONS);
    return createKey(this.#store, this.#tenant, {
      name: checkAccount(options.account),
      scopes: checkScopes(options.scopes),
      expiresAfter: durationOf(options.expiresAfter),
      by: checkPerson('the administrator', options.by),
    });
  }

  /** Lists all keys, the oldest first. */
  list(): Promise<readonly ApiKey[]> {
    return this.#store.read((tx) => listKeys(tx, this.#tenant));
  }

  /** Replaces a key by one with the same account and scopes, and revokes it. */
  async rotate(keyId: string, options: RotateKeyOptions): Promise<CreatedKey> {
    checkOptions<RotateKeyOptions>('`desk.keys.rotate`', options, ROTATE_OPTIONS);
    const by = checkPerson('the administrator', options.by);
    const expiresAfter = durationOf(options.expiresAfter);
    return rotateKey(this.#store, this.#tenant, checkId('keyId', keyId), { by, expiresAfter });
  }

  /** Revokes a key. Requests with it are rejected from now on. */
  async revoke(keyId: string, options: ByOption): Promise<ApiKey> {
    checkPerson('the administrator', checkBy('keys.revoke', options).by);
    return revokeKey(this.#store, this.#tenant, checkId('keyId', keyId));
  }

  /** Returns the account of a key of any tenant; `undefined` if it is unknown, expired or revoked. */
  async find(key: string): Promise<FoundKey | undefined> {
    return findKey(this.#store, checkId('key', key));
  }
}

function checkAccount(name: string): string {
  if (typeof name === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  throw new UserError(
    `\`account\` is ${kindOf(name)}. Pass a name of at most 64 lower-case letters, digits, dots, hyphens and underscores.`,
  );
}

function checkScopes(scopes: readonly KeyScope[]): readonly KeyScope[] {
  if (!Array.isArray(scopes) || scopes.length === 0) {
    throw new UserError(`\`scopes\` has none. Pass some of: ${KEY_SCOPES.join(', ')}.`);
  }
  for (const scope of scopes) requireOneOf('scopes', scope, KEY_SCOPES);
  return Object.freeze(KEY_SCOPES.filter((scope) => scopes.includes(scope)));
}

function durationOf(ms: number = DEFAULT_DAYS * DAY_MS): number {
  if (checkWhole('expiresAfter', ms) <= MAX_DAYS * DAY_MS) return ms;
  throw new UserError(`\`expiresAfter\` is ${ms}. Pass at most ${MAX_DAYS} days, and rotate keys.`);
}
