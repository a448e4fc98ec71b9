import type { SecretRow } from '../../model/secret-row.ts';
import type { TokenKind, TokenRow } from '../../model/token-row.ts';
import type { ReadSecrets, SecretKey, TokenKey, Tokens } from '../store.ts';
import { columnNames } from './columns.ts';
import { SECRETS, TOKENS } from './database.ts';
import { paddedIds, type SqlContext, SqlTable } from './sql-table.ts';

const TOKEN_COLUMNS = columnNames(TOKENS);
const SECRET_COLUMNS = columnNames(SECRETS);

/** Sessions and links. */
export class SqlTokens extends SqlTable<TokenRow, TokenKey> implements Tokens {
  constructor(context: SqlContext) {
    super(context, TOKENS);
  }

  findAbout(tenant: string, kind: TokenKind, about: string): Promise<readonly TokenRow[]> {
    return this.all(this.#ofKind(tenant, kind).where('about', '=', about));
  }

  findOf(tenant: string, kind: TokenKind, personKey: string): Promise<readonly TokenRow[]> {
    return this.all(this.#ofKind(tenant, kind).where('person_key', '=', personKey));
  }

  ofKind(tenant: string, kind: TokenKind): Promise<readonly TokenRow[]> {
    return this.all(this.#ofKind(tenant, kind));
  }

  async removeExpired(before: number, max: number): Promise<void> {
    await this.db
      .deleteFrom('desk_tokens')
      .where('id', 'in', (eb) =>
        eb.selectFrom('desk_tokens').select('id').where('expires_at', '<', before).limit(max),
      )
      .execute();
  }

  #ofKind(tenant: string, kind: TokenKind) {
    return this.db
      .selectFrom('desk_tokens')
      .select(TOKEN_COLUMNS)
      .where('tenant', '=', tenant)
      .where('kind', '=', kind)
      .orderBy('created_at')
      .orderBy('id');
  }
}

/** Redacted values. */
export class SqlSecrets extends SqlTable<SecretRow, SecretKey> implements ReadSecrets {
  constructor(context: SqlContext) {
    super(context, SECRETS);
  }

  async ofConversations(
    tenant: string,
    conversationIds: readonly string[],
  ): Promise<readonly SecretRow[]> {
    if (conversationIds.length === 0) return [];
    return this.all(
      this.db
        .selectFrom('desk_secrets')
        .select(SECRET_COLUMNS)
        .where('tenant', '=', tenant)
        .where('conversation_id', 'in', paddedIds(conversationIds)),
    );
  }
}
