import { sql } from 'kysely';
import {
  limitOf,
  type Page,
  pageOf,
  readCursor,
  readIdPrefix,
  RUN_ORDER,
  type RunQuery,
} from '../../model/page.ts';
import type { RunRow } from '../../model/run-row.ts';
import { LIVE_STATES } from '../../model/states.ts';
import type { IdKey, ReadRuns } from '../store.ts';
import { columnsOf, hasIdPrefix, isBeyond, isOneOf, isOneOfIds } from './conditions.ts';
import { KyselyTable } from './kysely-table.ts';

/** Runs in a database. */
export class KyselyRuns extends KyselyTable<RunRow, IdKey> implements ReadRuns {
  liveIn(tenant: string, conversationId: string): Promise<RunRow | undefined> {
    // The states are written out, or the index that holds for them would not be used.
    const live = sql.raw(LIVE_STATES.map((state) => `'${state}'`).join(', '));
    return this.first(
      sql`tenant = ${tenant} and conversation_id = ${conversationId} and state in (${live})`,
    );
  }

  latestIn(tenant: string, conversationId: string): Promise<RunRow | undefined> {
    return this.first(
      sql`tenant = ${tenant} and conversation_id = ${conversationId} order by created_at desc, id desc limit 1`,
    );
  }

  async list(tenant: string, query: RunQuery): Promise<Page<RunRow>> {
    const { states, agent, conversationId } = query;
    const limit = limitOf(query);
    const cursor = readCursor(query, RUN_ORDER);
    const idPrefix = readIdPrefix(query);
    const conditions = [
      sql`tenant = ${tenant}`,
      ...(states === undefined ? [] : [isOneOf('state', states)]),
      ...(agent === undefined ? [] : [sql`agent = ${agent}`]),
      ...(conversationId === undefined ? [] : [sql`conversation_id = ${conversationId}`]),
      ...(idPrefix === undefined ? [] : [hasIdPrefix(idPrefix)]),
      ...(cursor === undefined ? [] : [isBeyond(RUN_ORDER, 'before', cursor)]),
    ];
    const order = columnsOf(RUN_ORDER, sql` desc`);
    const found = await this.all(
      sql`${sql.join(conditions, sql` and `)} order by ${order} limit ${limit + 1}`,
    );
    return pageOf(found, limit, RUN_ORDER);
  }

  withIds(tenant: string, ids: readonly string[]): Promise<readonly RunRow[]> {
    return this.all(sql`tenant = ${tenant} and ${isOneOfIds('id', ids)}`);
  }

  async underOtherRules(
    tenant: string,
    conversationIds: readonly string[],
    redactionRules: string,
  ): Promise<readonly string[]> {
    const { rows } = await sql<{ conversation_id: string }>`select distinct conversation_id
      from ${this.name} where tenant = ${tenant} and ${isOneOfIds('conversation_id', conversationIds)}
      and redaction_rules <> ${redactionRules}`.execute(this.db);
    return rows.map(({ conversation_id: conversationId }) => conversationId);
  }
}
