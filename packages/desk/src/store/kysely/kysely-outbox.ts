import { sql } from 'kysely';
import type { OutboxRow } from '../../model/outbox-row.ts';
import {
  EVENT_ORDER,
  limitOf,
  type Page,
  type PageQuery,
  pageOf,
  readCursor,
} from '../../model/page.ts';
import type { IdKey, ReadOutbox } from '../store.ts';
import { columnsOf, isBeyond } from './conditions.ts';
import { KyselyTable } from './kysely-table.ts';

/** Events in a database. */
export class KyselyOutbox extends KyselyTable<OutboxRow, IdKey> implements ReadOutbox {
  async list(tenant: string, query: PageQuery): Promise<Page<OutboxRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, EVENT_ORDER);
    const beyond =
      cursor === undefined ? sql`` : sql`and ${isBeyond(EVENT_ORDER, 'after', cursor)}`;
    const found = await this.all(
      sql`tenant = ${tenant} ${beyond} order by ${columnsOf(EVENT_ORDER)} limit ${limit + 1}`,
    );
    return pageOf(found, limit, EVENT_ORDER);
  }

  latest(tenant: string): Promise<OutboxRow | undefined> {
    return this.first(
      sql`tenant = ${tenant} order by ${columnsOf(EVENT_ORDER, sql` desc`)} limit 1`,
    );
  }
}
