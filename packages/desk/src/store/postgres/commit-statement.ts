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
  const { guards, writes } = buffer;
  const isOfRun = ({ spec }: Guard | BufferedWrite) => spec.name === RUNS.name;
  const builder = new StatementBuilder();
  // A pooler may change the connection with every transaction, so the setting belongs to the statement.
  builder.add(LIMITS, [String(lockTimeout)]);
  // The run is locked before everything else, as in other transactions.
  for (const guard of guards) if (isOfRun(guard)) builder.addGuard(guard);
  for (const write of writes) if (isOfRun(write)) builder.addWrite(write);
  for (const guard of guards) if (!isOfRun(guard)) builder.addGuard(guard);
  for (const write of writes) if (!isOfRun(write)) builder.addWrite(write);
  builder.addInserts();
  builder.addEvents(buffer.events);
  return builder.statement(conditions);
}

/** Returns the placeholder of the next value. */
type NextValue = () => string;

/** A part of a statement. Its text depends only on its shape, except for the numbers of its values. */
interface Part {
  readonly shape: string;
  readonly text: (value: NextValue) => string;
  /** True if it must find its row. */
  readonly isRequired?: boolean;
}

const LIMITS: Part = {
  shape: 'limits',
  text: (value) => `select set_config('lock_timeout', ${value()}, true) as lock_timeout`,
};

const EVENT_COLUMNS = Object.keys(OUTBOX.columns).map(columnOf);

/** The texts of statements by their shapes. The number of different shapes is small. */
const texts = new Map<string, string>();

class StatementBuilder {
  readonly #values: unknown[] = [];
  readonly #parts: Part[] = [];
  readonly #inserts = new Map<
    string,
    { readonly spec: TableSpec<object>; readonly rows: object[] }
  >();
  #hasEvents = false;

  add(part: Part, values: readonly unknown[]): void {
    this.#parts.push(part);
    this.#values.push(...values);
  }

  addGuard({ spec, known }: Guard): void {
    const shape = `guard ${spec.name}`;
    const text = (value: NextValue) =>
      `select 1 from ${spec.name} where ${hasKey(spec, value)} and ${IS_LIMITED} and xmin = ${value()}::xid for no key update`;
    this.add({ shape, text, isRequired: true }, [...keyOf(spec, known.row), known.version]);
  }

  addWrite(write: BufferedWrite): void {
    switch (write.kind) {
      case 'insert':
        this.#addInsert(write.spec, write.row);
        if (isHold(write.spec, write.row)) this.#insertApprovers(write.row);
        return;
      case 'update':
        return this.#addUpdate(write);
      case 'delete': {
        const { spec } = write;
        const text = (value: NextValue) => `delete from ${spec.name} where ${hasKey(spec, value)}`;
        this.add({ shape: `delete ${spec.name}`, text }, write.key);
      }
    }
  }

  /** Adds the inserts of each table as one. */
  addInserts(): void {
    for (const { spec, rows } of this.#inserts.values()) {
      const onConflict = spec.name === MESSAGES.name ? REPLACE_MESSAGE : '';
      const encoded = rows.map((row) => encodeRow(spec, row));
      this.#insertRows(spec.name, encoded, onConflict);
    }
  }

  /** Adds events, and a task for each if a process delivers events. */
  addEvents(events: readonly NewOutboxRow[]): void {
    if (events.length === 0) return;
    this.#hasEvents = true;
    const values = events.flatMap((event) => {
      const encoded = encodeRow(OUTBOX, { ...event, transactionId: 0, sequence: 0 });
      const isAssigned = (column: string) => column === 'transaction_id' || column === 'sequence';
      return EVENT_COLUMNS.flatMap((column) => (isAssigned(column) ? [] : [encoded[column]]));
    });
    const eventRow = (value: NextValue) =>
      EVENT_COLUMNS.map((column) => {
        if (column === 'transaction_id') return 'pg_current_xact_id()::text::bigint';
        if (column === 'sequence') return `nextval('desk_outbox_sequence')`;
        return value();
      }).join(', ');
    const text = (value: NextValue) =>
      `insert into desk_outbox (${EVENT_COLUMNS.map(quoted).join(', ')}) values ${events.map(() => `(${eventRow(value)})`).join(', ')}`;
    this.add({ shape: `events ${events.length}`, text }, values);
    const enqueue = (
      value: NextValue,
    ) => `insert into desk_tasks (tenant, kind, id, due, fence, attempts)
      select e.tenant, 'outbox', e.id, e.at, 0, 0 from (values ${events.map(() => `(${value()}::text, ${value()}::text, ${value()}::bigint)`).join(', ')}) e (tenant, id, at)
      where exists (select 1 from desk_meta where name = 'event_consumer_seen_at'
        and value > 0 and value > e.at - ${CONSUMER_KEPT_MS}) returning 1`;
    this.add(
      { shape: 'enqueue', text: enqueue },
      events.flatMap(({ tenant, id, at }) => [tenant, id, at]),
    );
  }

  statement({ now, restoredFromBackupAt }: CommitConditions): Statement {
    const isRestoredKnown = restoredFromBackupAt !== undefined;
    if (isRestoredKnown) this.#values.push(restoredFromBackupAt);
    this.#values.push(now);
    const shapes = this.#parts.map(({ shape }) => shape);
    const shape = `${shapes.join('\n')}\n${isRestoredKnown}`;
    const text = texts.get(shape) ?? this.#text(isRestoredKnown);
    texts.set(shape, text);
    return { text, values: this.#values };
  }

  #text(isRestoredKnown: boolean): string {
    let count = 0;
    const value = () => `$${++count}`;
    const parts = this.#parts.map((part) => ({ part, text: part.text(value) }));
    // All parts are in one list, and the first one is `limits`.
    const nameAt = (index: number) => (index === 0 ? 'limits' : `p${index}`);
    const required = parts.flatMap(({ part }, index) =>
      part.isRequired ? [`exists (select 1 from ${nameAt(index)})`] : [],
    );
    if (isRestoredKnown) {
      const restored = `(select value from desk_meta where name = 'restored_from_backup_at')`;
      required.push(`${restored} = ${value()}::bigint`);
    }
    // A time in the future would make tasks due later than their events.
    required.push(`${NOW} - ${value()}::bigint between 0 and ${MAX_TIME_AGE_MS}`);
    // The events are followed by their tasks, which come last.
    const enqueued = this.#hasEvents ? `(select count(*) from ${nameAt(parts.length - 1)})` : '0';
    return `with ${parts.map(({ text }, index) => `${nameAt(index)} as ${index === 0 ? 'materialized ' : ''}(${text})`).join(',\n')}
      select desk_require_unchanged(${required.join(' and ')}), ${NOW} as now,
        pg_current_xact_id()::xid::text as version, ${enqueued} as enqueued`;
  }

  #addUpdate({ spec, before, row }: Extract<BufferedWrite, { kind: 'update' }>): void {
    const changed = changedColumns(spec, before.row, row);
    const columns = Object.keys(changed);
    if (isHold(spec, row) && isHold(spec, before.row)) this.#updateApprovers(before.row, row);
    if (columns.length === 0) return this.addGuard({ spec, known: before });
    const text = (value: NextValue) => {
      const values = columns.map((column) => `${quoted(column)} = ${value()}`);
      return `update ${spec.name} set ${values.join(', ')} where ${hasKey(spec, value)} and ${IS_LIMITED} and xmin = ${value()}::xid returning 1`;
    };
    const shape = `update ${spec.name} ${columns.join()}`;
    const values = [...Object.values(changed), ...keyOf(spec, row), before.version];
    this.add({ shape, text, isRequired: true }, values);
  }

  #updateApprovers(before: HoldRow, after: HoldRow): void {
    const approvers = approversOf(after);
    if (JSON.stringify(approversOf(before)) === JSON.stringify(approvers)) return;
    // All parts of a statement see the rows from before it, so new approvers must differ from those that are deleted.
    const text = (value: NextValue) => {
      const of = `tenant = ${value()} and hold_id = ${value()}`;
      const kept = approvers.map(() => `(${value()}, ${value()})`).join(', ');
      const others = kept === '' ? '' : ` and (kind, name) not in (${kept})`;
      return `delete from desk_hold_approvers where ${of}${others}`;
    };
    const kept = approvers.flatMap(({ kind, name }) => [kind, name]);
    this.add({ shape: `approvers ${approvers.length}`, text }, [after.tenant, after.id, ...kept]);
    this.#insertApprovers(after);
  }

  #insertApprovers(hold: HoldRow): void {
    const approvers = approversOf(hold);
    if (approvers.length === 0) return;
    this.#insertRows('desk_hold_approvers', approvers, 'on conflict do nothing');
  }

  #addInsert(spec: TableSpec<object>, row: object): void {
    const inserts = this.#inserts.get(spec.name);
    if (inserts === undefined) this.#inserts.set(spec.name, { spec, rows: [row] });
    else inserts.rows.push(row);
  }

  #insertRows(
    table: string,
    rows: readonly Readonly<Record<string, unknown>>[],
    onConflict: string,
  ): void {
    // Some columns belong only to some of the rows.
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const text = (value: NextValue) => {
      const tuples = rows.map(() => `(${columns.map(value).join(', ')})`);
      return `insert into ${table} (${columns.map(quoted).join(', ')}) values ${tuples.join(', ')} ${onConflict}`;
    };
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null));
    this.add({ shape: `insert ${rows.length} ${table} ${columns.join()}`, text }, values);
  }
}

/** Returns the condition for the key of a table, which takes as many values. */
function hasKey(spec: TableSpec<object>, value: NextValue): string {
  const fields: readonly string[] = spec.key;
  return fields.map((field) => `${quoted(columnOf(field))} = ${value()}`).join(' and ');
}

function isHold(spec: TableSpec<object>, _row: object): _row is HoldRow {
  return spec.name === HOLDS.name;
}

function quoted(column: string): string {
  return `"${column}"`;
}
