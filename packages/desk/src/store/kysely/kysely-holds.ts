import { sql } from 'kysely';
import type { HoldRow } from '../../model/hold-row.ts';
import {
  HOLD_ORDER,
  type HoldQuery,
  limitOf,
  type Page,
  pageOf,
  readCursor,
  readIdPrefix,
} from '../../model/page.ts';
import type { HoldState } from '../../model/states.ts';
import type { IdKey, ReadHolds } from '../store.ts';
import { columnsOf, hasIdPrefix, isBeyond, isOneOf } from './conditions.ts';
import { KyselyTable } from './kysely-table.ts';

/** Holds in a database. */
export class KyselyHolds extends KyselyTable<HoldRow, IdKey> implements ReadHolds {
  ofRun(tenant: string, runId: string, states: readonly HoldState[]): Promise<readonly HoldRow[]> {
    return this.all(
      sql`tenant = ${tenant} and run_id = ${runId} and ${isOneOf('state', states)} order by park, place`,
    );
  }

  async list(tenant: string, query: HoldQuery): Promise<Page<HoldRow>> {
    const { states, runId, conversationId, text } = query;
    const limit = limitOf(query);
    const cursor = readCursor(query, HOLD_ORDER);
    const idPrefix = readIdPrefix(query);
    const conditions = [
      sql`tenant = ${tenant}`,
      ...(states === undefined ? [] : [isOneOf('state', states)]),
      ...(runId === undefined ? [] : [sql`run_id = ${runId}`]),
      ...(conversationId === undefined ? [] : [sql`conversation_id = ${conversationId}`]),
      ...(text === undefined ? [] : [sql`search_text like ${containing(text)} escape '\\'`]),
      ...(idPrefix === undefined ? [] : [hasIdPrefix(idPrefix)]),
      ...(cursor === undefined ? [] : [isBeyond(HOLD_ORDER, 'after', cursor)]),
    ];
    const found = await this.all(
      sql`${sql.join(conditions, sql` and `)} order by ${columnsOf(HOLD_ORDER)} limit ${limit + 1}`,
    );
    return pageOf(found, limit, HOLD_ORDER);
  }
}

/** A pattern that text with this in it fits. */
function containing(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
