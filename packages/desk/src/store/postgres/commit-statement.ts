import type { HoldRow } from '../../model/hold-row.ts';
import type { NewOutboxRow } from '../../model/outbox-row.ts';
import { columnOf } from '../sql/columns.ts';
import { HOLDS, MESSAGES, OUTBOX, RUNS, type TableSpec } from '../sql/database.ts';
import { CONSUMER_KEPT_MS } from '../sql/events.ts';
import { approversOf } from '../sql/holds.ts';
import { changedColumns, encodeRow, keyOf } from '../sql/sql-table.ts';
import type { BufferedWrite, Guard, WriteBuffer } from './write-buffer.ts';

/** The time of the database in milliseconds. */
export const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** A checkpoint may replace the last messages of a conversation. Only the worker that claimed its run writes them. */
const REPLACE_MESSAGE = `on conflict (tenant, conversation_id, position) do update
  set run_id = excluded.run_id, version = excluded.version, body = excluded.body`;

/** The age that the time of a transaction may have when it is committed. */
const MAX_TIME_AGE_MS = 1_000;

/** A statement with its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The facts that a transaction relies on, in addition to rows. */
export interface CommitConditions {
  /** The time that the transaction used. */
  readonly now: number;
  /** The time of the last restored backup, if the transaction read it. */
  readonly restoredFromBackupAt?: number | undefined;
}

/** Is true, and evaluated before the rows of a part are locked. */
const IS_LIMITED = '(select lock_timeout from limits) is not null';

/** The function that makes a commit fail if a row changed since it was read. */
export const REQUIRE_UNCHANGED = `create function desk_require_unchanged(is_unchanged boolean) returns boolean
  language plpgsql as $$
  begin
    if is_unchanged is not true then
      raise exception 'A row has changed since it was read.' using errcode = '40001';
    end if;
    return true;
  end $$`;

/**
 * Returns one statement that makes all writes of a transaction, or none if a row that it relies on has changed. A
 * row with another `xmin` has changed.
 */
export function commitStatement(
  buffer: WriteBuffer,
  conditions: CommitConditions,
  lockTimeout: number,
): Statement {
  const builder = new StatementBuilder(lockTimeout);
  const isOfRun = ({ spec }: Guard | BufferedWrite) => spec.name === RUNS.name;
  // The run is locked before everything else, as in other transactions.
  for (const guard of buffer.guards.filter(isOfRun)) builder.addGuard(guard);
  for (const write of buffer.writes.filter(isOfRun)) builder.addWrite(write);
  for (const guard of buffer.guards.filter((one) => !isOfRun(one))) builder.addGuard(guard);
  for (const write of buffer.writes.filter((one) => !isOfRun(one))) builder.addWrite(write);
  builder.addInserts();
  builder.addEvents(buffer.events);
  return builder.statement(conditions);
}

class StatementBuilder {
  readonly #values: unknown[] = [];
  readonly #parts: string[] = [];
  readonly #required: string[] = [];
  readonly #inserts = new Map<string, { spec: TableSpec<object>; rows: object[] }>();
  #enqueued = '0';

  constructor(lockTimeout: number) {
    // A pooler may change the connection with every transaction, so the setting belongs to the statement.
    this.#parts.push(`limits as materialized (
      select set_config('lock_timeout', ${this.#value(String(lockTimeout))}, true) as lock_timeout)`);
  }

  addGuard({ spec, known }: Guard): void {
    const key = this.#hasKey(spec, keyOf(spec, known.row));
    this.#require(
      `select 1 from ${spec.name} where ${key} and ${IS_LIMITED} and xmin = ${this.#value(known.version)}::xid for no key update`,
    );
  }

  addWrite(write: BufferedWrite): void {
    switch (write.kind) {
      case 'insert':
        this.#addInsert(write.spec, write.row);
        if (isHold(write.spec, write.row)) this.#insertApprovers(write.row);
        return;
      case 'update':
        return this.#addUpdate(write);
      case 'delete':
        this.#add(`delete from ${write.spec.name} where ${this.#hasKey(write.spec, write.key)}`);
    }
  }

  /** Adds the inserts of each table as one. */
  addInserts(): void {
    for (const { spec, rows } of this.#inserts.values()) {
      const encoded = rows.map((row) => encodeRow(spec, row));
      const columns = Object.keys(encoded[0] ?? {});
      const tuples = encoded.map((row) => this.#tuple(columns.map((column) => row[column])));
      const onConflict = spec.name === MESSAGES.name ? REPLACE_MESSAGE : '';
      this.#add(
        `insert into ${spec.name} (${columns.map(quoted).join(', ')}) values ${tuples.join(', ')} ${onConflict}`,
      );
    }
  }

  /** Adds events, and a task for each if a process delivers events. */
  addEvents(events: readonly NewOutboxRow[]): void {
    if (events.length === 0) return;
    const columns = Object.keys(OUTBOX.columns).map(columnOf);
    const rows = events.map((event) => {
      const encoded = encodeRow(OUTBOX, { ...event, transactionId: 0, sequence: 0 });
      const values = columns.map((column) => {
        if (column === 'transaction_id') return 'pg_current_xact_id()::text::bigint';
        if (column === 'sequence') return `nextval('desk_outbox_sequence')`;
        return this.#value(encoded[column]);
      });
      return `(${values.join(', ')})`;
    });
    this.#add(
      `insert into desk_outbox (${columns.map(quoted).join(', ')}) values ${rows.join(', ')}`,
    );
    const tasks = events.map(({ tenant, id, at }) =>
      this.#tuple([tenant, id, at], ['text', 'text', 'bigint']),
    );
    const name = this.#add(`insert into desk_tasks (tenant, kind, id, due, fence, attempts)
      select e.tenant, 'outbox', e.id, e.at, 0, 0 from (values ${tasks.join(', ')}) e (tenant, id, at)
      where exists (select 1 from desk_meta where name = 'event_consumer_seen_at'
        and value > 0 and value > e.at - ${CONSUMER_KEPT_MS}) returning 1`);
    this.#enqueued = `(select count(*) from ${name})`;
  }

  statement({ now, restoredFromBackupAt }: CommitConditions): Statement {
    if (restoredFromBackupAt !== undefined) {
      const restored = `(select value from desk_meta where name = 'restored_from_backup_at')`;
      this.#required.push(`${restored} = ${this.#value(restoredFromBackupAt)}::bigint`);
    }
    // A time in the future would make tasks due later than their events.
    this.#required.push(`${NOW} - ${this.#value(now)}::bigint between 0 and ${MAX_TIME_AGE_MS}`);
    const text = `with ${this.#parts.join(',\n')}
      select desk_require_unchanged(${this.#required.join(' and ')}), ${NOW} as now,
        pg_current_xact_id()::xid::text as version, ${this.#enqueued} as enqueued`;
    return { text, values: this.#values };
  }

  #addUpdate({ spec, before, row }: Extract<BufferedWrite, { kind: 'update' }>): void {
    const changed = Object.entries(changedColumns(spec, before.row, row));
    if (isHold(spec, row) && isHold(spec, before.row)) this.#updateApprovers(before.row, row);
    if (changed.length === 0) return this.addGuard({ spec, known: before });
    const values = changed.map(([column, value]) => `${quoted(column)} = ${this.#value(value)}`);
    const key = this.#hasKey(spec, keyOf(spec, row));
    this.#require(
      `update ${spec.name} set ${values.join(', ')} where ${key} and ${IS_LIMITED} and xmin = ${this.#value(before.version)}::xid returning 1`,
    );
  }

  #updateApprovers(before: HoldRow, after: HoldRow): void {
    const approvers = approversOf(after);
    if (JSON.stringify(approversOf(before)) === JSON.stringify(approvers)) return;
    const { tenant, id } = after;
    const of = `tenant = ${this.#value(tenant)} and hold_id = ${this.#value(id)}`;
    // All parts of a statement see the rows from before it, so new approvers must differ from those that are deleted.
    const kept = approvers.map(({ kind, name }) => this.#tuple([kind, name]));
    const others = kept.length === 0 ? '' : ` and (kind, name) not in (${kept.join(', ')})`;
    this.#add(`delete from desk_hold_approvers where ${of}${others}`);
    this.#insertApprovers(after);
  }

  #insertApprovers(hold: HoldRow): void {
    const approvers = approversOf(hold);
    if (approvers.length === 0) return;
    const columns = Object.keys(approvers[0] ?? {}).join(', ');
    const rows = approvers.map((approver) => this.#tuple(Object.values(approver)));
    this.#add(
      `insert into desk_hold_approvers (${columns}) values ${rows.join(', ')} on conflict do nothing`,
    );
  }

  #addInsert(spec: TableSpec<object>, row: object): void {
    const { rows } = this.#inserts.get(spec.name) ?? { rows: [] };
    this.#inserts.set(spec.name, { spec, rows: [...rows, row] });
  }

  /** Adds a part that must find its row. */
  #require(text: string): void {
    this.#required.push(`(select count(*) from ${this.#add(text)}) = 1`);
  }

  #add(text: string): string {
    const name = `p${this.#parts.length}`;
    this.#parts.push(`${name} as (${text})`);
    return name;
  }

  #hasKey(spec: TableSpec<object>, key: readonly (string | number)[]): string {
    const fields: readonly string[] = spec.key;
    return fields
      .map((field, index) => `${quoted(columnOf(field))} = ${this.#value(key[index])}`)
      .join(' and ');
  }

  #tuple(values: readonly unknown[], types: readonly string[] = []): string {
    const all = values.map((value, index) => {
      const type = types[index];
      return this.#value(value) + (type === undefined ? '' : `::${type}`);
    });
    return `(${all.join(', ')})`;
  }

  #value(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }
}

function isHold(spec: TableSpec<object>, _row: object): _row is HoldRow {
  return spec.name === HOLDS.name;
}

function quoted(column: string): string {
  return `"${column}"`;
}
