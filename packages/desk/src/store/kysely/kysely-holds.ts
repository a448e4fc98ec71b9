import { sql } from 'kysely';
import type { HoldRow } from '../../model/hold-row.ts';
import {
  HOLD_ORDER,
  limitOf,
  type Page,
  pageOf,
  readCursor,
  readIdPrefix,
} from '../../model/page.ts';
import type { HoldState } from '../../model/states.ts';
import type { ConversationKey, IdKey, ReadHolds, StoredHoldQuery } from '../store.ts';
import { columnsOf, hasIdPrefix, isBeyond, isOneOf } from './conditions.ts';
import { KyselyTable } from './kysely-table.ts';

/** Holds in a database. */
export class KyselyHolds extends KyselyTable<HoldRow, IdKey> implements ReadHolds {
  ofRun(tenant: string, runId: string, states: readonly HoldState[]): Promise<readonly HoldRow[]> {
    return this.all(
      sql`tenant = ${tenant} and run_id = ${runId} and ${isOneOf('state', states)} order by park, place`,
    );
  }

  async list(tenant: string, query: StoredHoldQuery): Promise<Page<HoldRow>> {
    const { states, runId, conversationId, text, redactionRules } = query;
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
      ...(redactionRules === undefined ? [] : [sql`redaction_rules = ${redactionRules}`]),
      ...(cursor === undefined ? [] : [isBeyond(HOLD_ORDER, 'after', cursor)]),
    ];
    const found = await this.all(
      sql`${sql.join(conditions, sql` and `)} order by ${columnsOf(HOLD_ORDER)} limit ${limit + 1}`,
    );
    return pageOf(found, limit, HOLD_ORDER);
  }

  async underOtherRules(
    redactionRules: string,
    { after, limit }: { readonly after?: ConversationKey | undefined; readonly limit: number },
  ): Promise<readonly ConversationKey[]> {
    const fields = ['tenant', 'conversationId'];
    const beyond = after === undefined ? sql`1 = 1` : isBeyond(fields, 'after', after);
    const { rows } = await sql<{ tenant: string; conversation_id: string }>`select distinct
      ${columnsOf(fields)} from ${this.name}
      where (redaction_rules is null or redaction_rules <> ${redactionRules}) and ${beyond}
      order by ${columnsOf(fields)} limit ${limit}`.execute(this.db);
    return rows.map(({ tenant, conversation_id: conversationId }) => [tenant, conversationId]);
  }
}

/** A pattern that text with this in it fits. */
function containing(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
