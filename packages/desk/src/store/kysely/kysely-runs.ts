import { sql } from 'kysely';
import {
  limitOf,
  type Page,
  pageOf,
  readCursor,
  RUN_ORDER,
  type RunQuery,
} from '../../model/page.ts';
import type { RunRow } from '../../model/run-row.ts';
import { LIVE_STATES } from '../../model/states.ts';
import type { IdKey, ReadRuns } from '../store.ts';
import { columnsOf, isBeyond, isOneOf } from './conditions.ts';
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
    const conditions = [
      sql`tenant = ${tenant}`,
      ...(states === undefined ? [] : [isOneOf('state', states)]),
      ...(agent === undefined ? [] : [sql`agent = ${agent}`]),
      ...(conversationId === undefined ? [] : [sql`conversation_id = ${conversationId}`]),
      ...(cursor === undefined ? [] : [isBeyond(RUN_ORDER, 'before', cursor)]),
    ];
    const order = columnsOf(RUN_ORDER, sql` desc`);
    const found = await this.all(
      sql`${sql.join(conditions, sql` and `)} order by ${order} limit ${limit + 1}`,
    );
    return pageOf(found, limit, RUN_ORDER);
  }
}
