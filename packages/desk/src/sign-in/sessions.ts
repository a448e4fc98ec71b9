import type { Caller } from '../http/caller.ts';
import { SESSION_PREFIX } from '../http/entrance.ts';
import { type IssuedToken, issueToken } from '../links/issue-token.ts';
import { tokenId } from '../links/token.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import type { TokenRow } from '../model/token-row.ts';
import type { Store, Tx } from '../store/store.ts';

/** The durations of sessions. */
export interface SessionTimes {
  /** Milliseconds without a request after which a session ends. */
  readonly idleAfter: number;
  /** Maximum duration in milliseconds. */
  readonly endsAfter: number;
}

/** The token of a session, as a request presented it. */
export interface SessionCredential {
  /** The token without its prefix. */
  readonly token: string;
  readonly credential: 'cookie' | 'token';
}

/** The data of the token of a session. Rows of earlier versions have no `credential`: they are for cookies. */
interface SessionData {
  readonly person: Person;
  readonly roles: readonly string[];
  readonly credential: 'cookie' | 'token';
}

/** Milliseconds between two records that a session is in use. */
const RECORD_EVERY_MS = 60_000;

/** The sessions of people. They are rows of the store, so that every process can end them. */
export class Sessions {
  readonly #store: Store;
  readonly #times: SessionTimes;

  constructor(store: Store, times: SessionTimes) {
    this.#store = store;
    this.#times = times;
  }

  /** Maximum duration of a session in milliseconds. */
  get endsAfter(): number {
    return this.#times.endsAfter;
  }

  /** Starts the session of a browser, and returns its new token. The session that the browser had before ends. */
  async begin(tx: Tx, caller: Caller, before: string | undefined): Promise<string> {
    if (before !== undefined) await endToken(tx, before);
    return (await this.#issue(tx, caller, 'cookie')).token;
  }

  /** Starts the session of a program. */
  async beginForProgram(
    tx: Tx,
    caller: Caller,
  ): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const { token, row } = await this.#issue(tx, caller, 'token');
    return { token: `${SESSION_PREFIX}${token}`, expiresAt: row.expiresAt };
  }

  #issue(
    tx: Tx,
    { tenant, person, roles = [] }: Caller,
    credential: SessionData['credential'],
  ): Promise<IssuedToken> {
    const data: SessionData = { person, roles, credential };
    return issueToken(tx, {
      kind: 'session',
      tenant,
      about: person.id,
      person,
      // The JSON of an object is an object.
      data: toJson(data) as {},
      expiresAfter: this.#times.endsAfter,
    });
  }

  /**
   * Returns the caller of a session. Returns `undefined` if it does not exist or has ended, or if
   * its token is another kind of credential: a cookie is not a bearer token.
   */
  async find(
    { token, credential }: SessionCredential,
    { isUse }: { readonly isUse: boolean },
  ): Promise<Caller | undefined> {
    const found = await this.#store.read(async (tx) => {
      const row = await tx.tokens.get(tokenId(token));
      return row && { row, now: await tx.now() };
    });
    if (found === undefined || !this.#isLive(found.row, found.now)) return undefined;
    const { row, now } = found;
    if (credentialOf(row) !== credential) return undefined;
    if (isUse && now - seenAt(row) > RECORD_EVERY_MS) await this.#recordUse(row.id);
    const { person, roles } = dataOf(row);
    return { tenant: row.tenant, person, roles };
  }

  end({ token }: SessionCredential): Promise<void> {
    return this.#store.write((tx) => endToken(tx, token));
  }

  #isLive(row: TokenRow, now: number): boolean {
    const isIdle = now - seenAt(row) > this.#times.idleAfter;
    return row.kind === 'session' && row.end === undefined && row.expiresAt > now && !isIdle;
  }

  #recordUse(id: string): Promise<void> {
    return this.#store.write(async (tx) => {
      const row = await tx.tokens.lock(id);
      const now = await tx.now();
      if (row !== undefined && this.#isLive(row, now)) await tx.tokens.put({ ...row, seenAt: now });
    });
  }
}

function dataOf({ data }: TokenRow): Omit<SessionData, 'credential'> {
  // Only `Sessions` writes such rows.
  return data as unknown as SessionData;
}

function credentialOf({ data }: TokenRow): SessionData['credential'] {
  return data['credential'] === 'token' ? 'token' : 'cookie';
}

function seenAt(row: TokenRow): number {
  return row.seenAt ?? row.createdAt;
}

async function endToken(tx: Tx, token: string): Promise<void> {
  const row = await tx.tokens.lock(tokenId(token));
  if (row?.kind !== 'session' || row.end !== undefined) return;
  await tx.tokens.put({ ...row, end: 'revoked', endedAt: await tx.now() });
}
