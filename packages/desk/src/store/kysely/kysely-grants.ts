import { type RawBuilder, sql } from 'kysely';
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
import { columnsOf, hasIdPrefix, isBeyond } from './conditions.ts';
import { KyselyTable } from './kysely-table.ts';

/** Grants in a database. */
export class KyselyGrants extends KyselyTable<GrantRow, IdKey> implements ReadGrants {
  liveFor(tenant: string, call: GrantedCall, now: number): Promise<readonly GrantRow[]> {
    return this.all(
      sql`tenant = ${tenant} and tool_hash = ${call.toolHash} and ${isInScope(call)} and ${isLive(now)}
        order by ${columnsOf(GRANT_ORDER)}`,
    );
  }

  async list(tenant: string, query: GrantQuery, now: number): Promise<Page<GrantRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, GRANT_ORDER);
    const idPrefix = readIdPrefix(query);
    const conditions = [
      sql`tenant = ${tenant}`,
      ...(query.live === undefined ? [] : [query.live ? isLive(now) : sql`not ${isLive(now)}`]),
      ...(idPrefix === undefined ? [] : [hasIdPrefix(idPrefix)]),
      ...(cursor === undefined ? [] : [isBeyond(GRANT_ORDER, 'before', cursor)]),
    ];
    const order = columnsOf(GRANT_ORDER, sql` desc`);
    const found = await this.all(
      sql`${sql.join(conditions, sql` and `)} order by ${order} limit ${limit + 1}`,
    );
    return pageOf(found, limit, GRANT_ORDER);
  }
}

/** A grant for a whole tenant holds for every agent; narrower ones belong to the agent they were made for. */
function isInScope({ agent, conversationId, requesterKey }: GrantedCall): RawBuilder<unknown> {
  const ofRequester =
    requesterKey === undefined
      ? sql``
      : sql`or (scope = 'requester' and agent = ${agent} and requester_key = ${requesterKey})`;
  return sql`(scope = 'tenant' or (scope = 'agent' and agent = ${agent})
    or (scope = 'conversation' and agent = ${agent} and conversation_id = ${conversationId})
    ${ofRequester})`;
}

function isLive(now: number): RawBuilder<unknown> {
  return sql`(revoked_at is null and (expires_at is null or expires_at > ${now})
    and (uses is null or used < uses))`;
}
