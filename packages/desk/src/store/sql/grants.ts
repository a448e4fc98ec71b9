import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { GrantRow } from '../../model/grant-row.ts';
import {
  GRANT_ORDER,
  type GrantQuery,
  limitOf,
  type Page,
  pageOf,
  readCursor,
  readIdPrefix,
} from '../../model/page.ts';
import type { GrantedCall, IdKey, ReadGrants } from '../store.ts';
import { columnNames } from './columns.ts';
import { GRANTS } from './database.ts';
import { hasIdPrefix, isBeyond, type SqlContext, SqlTable } from './sql-table.ts';

const COLUMNS = columnNames(GRANTS);

/** Grants. */
export class SqlGrants extends SqlTable<GrantRow, IdKey> implements ReadGrants {
  constructor(context: SqlContext) {
    super(context, GRANTS);
  }

  liveFor(tenant: string, call: GrantedCall, now: number): Promise<readonly GrantRow[]> {
    return this.all(
      this.#select
        .where('tenant', '=', tenant)
        .where('tool_hash', '=', call.toolHash)
        .where(isInScope(call))
        .where(isLive(now))
        .orderBy('created_at')
        .orderBy('id'),
    );
  }

  async list(tenant: string, query: GrantQuery, now: number): Promise<Page<GrantRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, GRANT_ORDER);
    const idPrefix = readIdPrefix(query);
    let found = this.#select.where('tenant', '=', tenant);
    if (query.live === true) found = found.where(isLive(now));
    if (query.live === false) found = found.where(sql<boolean>`not ${isLive(now)}`);
    if (idPrefix !== undefined) found = found.where(hasIdPrefix(idPrefix));
    if (cursor !== undefined) found = found.where(isBeyond(GRANT_ORDER, '<', cursor));
    return pageOf(
      await this.all(
        found
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1),
      ),
      limit,
      GRANT_ORDER,
    );
  }

  get #select() {
    return this.db.selectFrom('desk_grants').select(COLUMNS);
  }
}

/** A grant for a tenant applies to every agent. Narrower grants apply to the agent they were made for. */
function isInScope({ agent, conversationId, requesterKey }: GrantedCall): RawBuilder<SqlBool> {
  const ofRequester =
    requesterKey === undefined
      ? sql``
      : sql`or (scope = 'requester' and agent = ${agent} and requester_key = ${requesterKey})`;
  return sql`(scope = 'tenant' or (scope = 'agent' and agent = ${agent})
    or (scope = 'conversation' and agent = ${agent} and conversation_id = ${conversationId})
    ${ofRequester})`;
}

function isLive(now: number): RawBuilder<SqlBool> {
  return sql`(revoked_at is null and (expires_at is null or expires_at > ${now})
    and (uses is null or used < uses))`;
}
