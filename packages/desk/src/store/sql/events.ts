import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { DeliveryRow } from '../../model/delivery-row.ts';
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
import type { DeliveryKey, IdKey, Outbox, ReadDeliveries } from '../store.ts';
import type { ChangeRecorder } from '../store-change.ts';
import { columnNames } from './columns.ts';
import { DELIVERIES, OUTBOX } from './database.ts';
import { type SqlContext, SqlTable } from './sql-table.ts';

/** The time that events are enqueued after the last process that delivers events was active, in milliseconds. */
export const CONSUMER_KEPT_MS: number = 7 * 24 * 60 * 60_000;

const OUTBOX_COLUMNS = columnNames(OUTBOX);
const DELIVERY_COLUMNS = columnNames(DELIVERIES);

/** Events. */
export class SqlOutbox extends SqlTable<OutboxRow, IdKey> implements Outbox {
  readonly #changes: ChangeRecorder;

  constructor(context: SqlContext, changes: ChangeRecorder) {
    super(context, OUTBOX);
    this.#changes = changes;
  }

  override async insert(row: NewOutboxRow): Promise<boolean> {
    this.#changes.addEvent(row.tenant);
    const isInserted = await super.insert({ ...row, transactionId: NEW, sequence: NEW });
    if (isInserted) await this.#enqueue(row);
    return isInserted;
  }

  /** Enqueues the delivery of an event, if a process delivers events. */
  async #enqueue({ tenant, id, at }: NewOutboxRow): Promise<void> {
    const { numAffectedRows } = await this.execute(
      'enqueue',
      () => `insert into desk_tasks (tenant, kind, id, due, fence, attempts)
        select tenant, 'outbox', id, at, 0, 0 from desk_outbox where tenant = ? and id = ?
          and exists (select 1 from desk_meta where name = 'event_consumer_seen_at'
            and value > 0 and value > ?)`,
      [tenant, id, at - CONSUMER_KEPT_MS],
    );
    if (numAffectedRows === 1n) this.#changes.addTask(at, at);
  }

  async list(tenant: string, query: PageQuery): Promise<Page<OutboxRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, EVENT_ORDER);
    let found = this.#selectFinal(tenant);
    if (cursor !== undefined) found = found.where(this.#isAfter(cursor));
    return pageOf(
      await this.all(
        found
          .orderBy('transaction_id')
          .orderBy('sequence')
          .limit(limit + 1),
      ),
      limit,
      EVENT_ORDER,
    );
  }

  latest(tenant: string): Promise<OutboxRow | undefined> {
    return this.first(
      this.#selectFinal(tenant)
        .orderBy('transaction_id', 'desc')
        .orderBy('sequence', 'desc')
        .limit(1),
    );
  }

  async isWithholding(tenant: string): Promise<boolean> {
    const { oldestTransaction } = this.dialect;
    if (oldestTransaction === undefined) return false;
    const withheld = await this.db
      .selectFrom('desk_outbox')
      .select('id')
      .where('tenant', '=', tenant)
      .where('transaction_id', '>=', oldestTransaction)
      .limit(1)
      .executeTakeFirst();
    return withheld !== undefined;
  }

  protected override assigned({ sequence }: OutboxRow): Readonly<Record<string, string>> {
    const { transactionId, nextSequence } = this.dialect;
    return sequence === NEW ? { transaction_id: transactionId, sequence: nextSequence } : {};
  }

  /** Selects the events that no event can precede any more that is not committed yet. */
  #selectFinal(tenant: string) {
    const { oldestTransaction } = this.dialect;
    const found = this.db
      .selectFrom('desk_outbox')
      .select(OUTBOX_COLUMNS)
      .where('tenant', '=', tenant);
    return oldestTransaction === undefined
      ? found
      : found.where('transaction_id', '<', oldestTransaction);
  }

  /**
   * Returns the condition that an event comes after a cursor. If this server never had the transaction of the
   * cursor, the database was moved here later, and only the sequence counts.
   */
  #isAfter([transactionId, sequence]: Cursor): RawBuilder<SqlBool> {
    const { oldestTransaction: oldest } = this.dialect;
    const from =
      oldest === undefined
        ? sql`${transactionId}`
        : sql`case when ${transactionId}::bigint < ${oldest} then ${transactionId}::bigint else 0 end`;
    return sql`(transaction_id, sequence) > (${from}, ${sequence})`;
  }
}

/** A placeholder for a position that the database assigns. */
const NEW = -1;

/** Deliveries of events to the receivers of webhooks. */
export class SqlDeliveries extends SqlTable<DeliveryRow, DeliveryKey> implements ReadDeliveries {
  constructor(context: SqlContext) {
    super(context, DELIVERIES);
  }

  ofEvent(tenant: string, eventId: string): Promise<readonly DeliveryRow[]> {
    return this.all(
      this.db
        .selectFrom('desk_deliveries')
        .select(DELIVERY_COLUMNS)
        .where('tenant', '=', tenant)
        .where('event_id', '=', eventId)
        .orderBy('receiver'),
    );
  }
}
