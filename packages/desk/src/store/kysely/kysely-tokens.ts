import { sql } from 'kysely';
import type { TokenKind, TokenRow } from '../../model/token-row.ts';
import type { TokenKey, Tokens } from '../store.ts';
import { KyselyTable } from './kysely-table.ts';

/** Tokens in a database. */
export class KyselyTokens extends KyselyTable<TokenRow, TokenKey> implements Tokens {
  findAbout(tenant: string, kind: TokenKind, about: string): Promise<readonly TokenRow[]> {
    return this.all(
      sql`tenant = ${tenant} and kind = ${kind} and about = ${about} order by created_at, id`,
    );
  }

  findOf(tenant: string, kind: TokenKind, personKey: string): Promise<readonly TokenRow[]> {
    return this.all(
      sql`tenant = ${tenant} and kind = ${kind} and person_key = ${personKey} order by created_at, id`,
    );
  }

  async removeExpired(before: number, most: number): Promise<void> {
    const old = sql`select id from ${this.name} where expires_at < ${before} limit ${most}`;
    await sql`delete from ${this.name} where id in (${old})`.execute(this.db);
  }
}
