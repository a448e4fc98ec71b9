import { DeskError } from '../errors/desk-error.ts';
import { ACCOUNT_PREFIX, type KeyScope } from '../model/key-scope.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import type { TokenRow } from '../model/token-row.ts';
import type { ReadTx, Store, Tx } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import { newToken, tokenId } from './token.ts';

/** The beginning of every key, by which people and scanners of secrets recognise one. */
export const KEY_PREFIX = 'hpk_';

/** The number of characters of a key that are stored and shown. */
const SHOWN_LENGTH = KEY_PREFIX.length + 6;

/** A key of a service account, without its secret. */
export interface ApiKey {
  readonly id: string;
  /** The id of the service account: `service:` and its name. */
  readonly account: string;
  /** The first characters of the key. */
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdBy: Person;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt?: number | undefined;
}

/** A key with its secret, which the desk returns once. */
export interface CreatedKey extends ApiKey {
  /** The secret. Only its hash is stored. */
  readonly key: string;
}

/** A key to create. */
export interface NewKey {
  /** The name of the service account. */
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** The time until it expires, in milliseconds. */
  readonly expiresAfter: number;
  readonly by: Person;
}

/** A valid key, as a request presented it. */
export interface FoundKey {
  readonly tenant: string;
  readonly account: Person;
  readonly scopes: readonly KeyScope[];
}

interface KeyData {
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly createdBy: Person;
}

/** Creates a key. */
export function createKey(store: Store, tenant: string, given: NewKey): Promise<CreatedKey> {
  const account = `${ACCOUNT_PREFIX}${given.name}`;
  return store.write((tx) => insertKey(tx, tenant, { ...given, account }));
}

/** Replaces a key: the new one has the same account and scopes. The old one is revoked. */
export function rotateKey(
  store: Store,
  tenant: string,
  keyId: string,
  { by, expiresAfter }: Pick<NewKey, 'by' | 'expiresAfter'>,
): Promise<CreatedKey> {
  return store.write(async (tx) => {
    const row = await lockKey(tx, tenant, keyId);
    const now = await tx.now();
    if (row.end !== undefined || row.expiresAt <= now) throw keyEnded(keyId);
    const { scopes } = dataOf(row);
    const created = await insertKey(tx, tenant, { account: row.about, scopes, by, expiresAfter });
    await tx.tokens.put({ ...row, end: 'revoked', endedAt: now });
    return created;
  });
}

/** Revokes a key: requests with it are rejected from now on. */
export function revokeKey(store: Store, tenant: string, keyId: string): Promise<ApiKey> {
  return store.write(async (tx) => {
    const row = await lockKey(tx, tenant, keyId);
    const now = await tx.now();
    const revoked =
      row.end === undefined ? ({ ...row, end: 'revoked', endedAt: now } as const) : row;
    await tx.tokens.put(revoked);
    return keyOf(revoked, now);
  });
}

/** Lists the keys of a tenant, the oldest first. */
export async function listKeys(tx: ReadTx, tenant: string): Promise<readonly ApiKey[]> {
  const now = await tx.now();
  return (await tx.tokens.ofKind(tenant, 'api-key')).map((row) => keyOf(row, now));
}

/** Milliseconds between two records that a key is in use. */
const RECORD_EVERY_MS = 60_000;

/** Returns the account of a key; `undefined` if the key is unknown, expired or revoked. */
export async function findKey(store: Store, key: string): Promise<FoundKey | undefined> {
  const found = await store.read(async (tx) => {
    const row = await tx.tokens.get(tokenId(key));
    return row?.kind === 'api-key' ? { row, now: await tx.now() } : undefined;
  });
  if (found === undefined || keyOf(found.row, found.now).state !== 'active') return undefined;
  const { row, now } = found;
  if (now - (row.seenAt ?? 0) > RECORD_EVERY_MS) await recordUse(store, row.id);
  return { tenant: row.tenant, account: { id: row.about }, scopes: dataOf(row).scopes };
}

/** Returns whether a service account has an active key with a scope. */
export async function hasActiveKey(
  tx: ReadTx,
  tenant: string,
  account: string,
  scope: KeyScope,
): Promise<boolean> {
  const now = await tx.now();
  const rows = await tx.tokens.findOf(tenant, 'api-key', account);
  const keys = rows.map((row) => keyOf(row, now));
  return keys.some(({ state, scopes }) => state === 'active' && scopes.includes(scope));
}

function recordUse(store: Store, id: string): Promise<void> {
  return store.write(async (tx) => {
    const row = await tx.tokens.lock(id);
    if (row?.end === undefined && row !== undefined) {
      await tx.tokens.put({ ...row, seenAt: await tx.now() });
    }
  });
}

async function insertKey(
  tx: Tx,
  tenant: string,
  given: Omit<NewKey, 'name'> & { readonly account: string },
): Promise<CreatedKey> {
  const { account, scopes, by: createdBy, expiresAfter } = given;
  const now = await tx.now();
  const key = `${KEY_PREFIX}${newToken()}`;
  const data: KeyData = { prefix: key.slice(0, SHOWN_LENGTH), scopes, createdBy };
  const row: TokenRow = {
    id: tokenId(key),
    kind: 'api-key',
    tenant,
    about: account,
    personKey: account,
    // The JSON of an object is an object.
    data: toJson(data) as {},
    createdAt: now,
    expiresAt: now + expiresAfter,
  };
  await tx.tokens.insert(row);
  return Object.freeze({ ...keyOf(row, now), key });
}

async function lockKey(tx: Tx, tenant: string, keyId: string): Promise<TokenRow> {
  const row = await tx.tokens.lock(keyId);
  if (row?.kind !== 'api-key' || row.tenant !== tenant) throw notFound('key', keyId);
  return row;
}

function keyOf(row: TokenRow, now: number): ApiKey {
  const { id, about: account, createdAt, expiresAt, seenAt, end } = row;
  const { prefix, scopes, createdBy } = dataOf(row);
  const state = end !== undefined ? 'revoked' : expiresAt <= now ? 'expired' : 'active';
  const lastUsed = seenAt === undefined ? {} : { lastUsedAt: seenAt };
  const times = { createdAt, expiresAt, ...lastUsed };
  return Object.freeze({ id, account, prefix, scopes, state, createdBy, ...times });
}

function dataOf({ data }: TokenRow): KeyData {
  // Only `insertKey` writes such rows.
  return data as unknown as KeyData;
}

function keyEnded(id: string): DeskError {
  return new DeskError(
    'link-ended',
    `Key \`${id}\` is expired or revoked, so it cannot be rotated. Create another one.`,
  );
}
