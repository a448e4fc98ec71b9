import { sql } from 'kysely';
import type { MessageRow } from '../../model/message-row.ts';
import type { Messages } from '../store.ts';
import { KyselyTable } from './kysely-table.ts';

/** Messages in a database. */
export class KyselyMessages
  extends KyselyTable<MessageRow, readonly [string, string, number]>
  implements Messages
{
  from(tenant: string, conversationId: string, position: number): Promise<readonly MessageRow[]> {
    return this.all(
      sql`tenant = ${tenant} and conversation_id = ${conversationId} and position >= ${position} order by position`,
    );
  }

  async count(tenant: string, conversationId: string): Promise<number> {
    const { rows } = await sql<{ last: number | null }>`select max(position) as last
      from ${this.name} where tenant = ${tenant} and conversation_id = ${conversationId}`.execute(
      this.db,
    );
    const last = rows[0]?.last ?? null;
    return last === null ? 0 : Number(last) + 1;
  }

  async replaceFrom(
    tenant: string,
    conversationId: string,
    position: number,
    rows: readonly MessageRow[],
  ): Promise<void> {
    await sql`delete from ${this.name} where tenant = ${tenant} and conversation_id = ${conversationId}
      and position >= ${position}`.execute(this.db);
    for (const row of rows) await this.insert(row);
  }
}
