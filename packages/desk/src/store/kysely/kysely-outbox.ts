import { type RawBuilder, sql } from 'kysely';
import type { NewOutboxRow, OutboxRow } from '../../model/outbox-row.ts';
import {
  type Cursor,
  EVENT_ORDER,
  limitOf,
  type Page,
  type PageQuery,
  pageOf,
  readCursor,
} from '../../model/page.ts';
import type { IdKey, Outbox } from '../store.ts';
import type { ChangeRecorder } from '../store-change.ts';
import { fieldsOf, toColumns } from '../tables/row-codec.ts';
import { OUTBOX } from '../tables/specs.ts';
import { columnOf } from '../tables/table-spec.ts';
import { columnsOf } from './conditions.ts';
import { type Database, type Flavour, KyselyTable } from './kysely-table.ts';

/** Events in a database. */
export class KyselyOutbox extends KyselyTable<OutboxRow, IdKey> implements Outbox {
  readonly #changes: ChangeRecorder;

  constructor(db: Database, flavour: Flavour, changes: ChangeRecorder) {
    super(db, OUTBOX, flavour);
    this.#changes = changes;
  }

  override async insert(row: NewOutboxRow): Promise<boolean> {
    this.#changes.addEvent(row.tenant);
    const fields = fieldsOf(this.spec);
    const values = toColumns(this.spec, { ...row, transactionId: 0, sequence: 0 });
    const { transactionId, nextSequence: sequence } = this.flavour;
    const computed: Partial<Record<string, RawBuilder<unknown>>> = { transactionId, sequence };
    const columns = sql.join(fields.map((field) => sql.ref(columnOf(field))));
    const given = fields.map((field, index) => computed[field] ?? values[index]);
    const { numAffectedRows } =
      await sql`insert into ${this.name} (${columns}) values (${sql.join(given)}) on conflict do nothing`.execute(
        this.db,
      );
    return numAffectedRows === 1n;
  }

  async list(tenant: string, query: PageQuery): Promise<Page<OutboxRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, EVENT_ORDER);
    const beyond = cursor === undefined ? sql`` : sql`and ${this.#isAfter(cursor)}`;
    const found = await this.all(
      sql`tenant = ${tenant} ${this.#isFinal} ${beyond} order by ${columnsOf(EVENT_ORDER)} limit ${limit + 1}`,
    );
    return pageOf(found, limit, EVENT_ORDER);
  }

  latest(tenant: string): Promise<OutboxRow | undefined> {
    return this.first(
      sql`tenant = ${tenant} ${this.#isFinal} order by ${columnsOf(EVENT_ORDER, sql` desc`)} limit 1`,
    );
  }

  async isWithholding(tenant: string): Promise<boolean> {
    const { oldestTransaction } = this.flavour;
    if (oldestTransaction === undefined) return false;
    const withheld = sql`tenant = ${tenant} and transaction_id >= ${oldestTransaction} limit 1`;
    return (await this.first(withheld)) !== undefined;
  }

  /** The condition that no event can be committed any more that would come before this one. */
  get #isFinal(): RawBuilder<unknown> {
    const { oldestTransaction } = this.flavour;
    return oldestTransaction === undefined ? sql`` : sql`and transaction_id < ${oldestTransaction}`;
  }

  /**
   * The condition that an event comes after a cursor. A cursor of a transaction that this server has not had
   * is from before the database was moved here: only its number counts then.
   */
  #isAfter([transactionId, sequence]: Cursor): RawBuilder<unknown> {
    const { oldestTransaction: oldest } = this.flavour;
    const from =
      oldest === undefined
        ? sql`${transactionId}`
        : sql`case when ${transactionId}::bigint < ${oldest} then ${transactionId}::bigint else 0 end`;
    return sql`(transaction_id, sequence) > (${from}, ${sequence})`;
  }
}
