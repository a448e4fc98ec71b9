import type { HoldRow } from '../../model/hold-row.ts';
import { columnOf, type ColumnValue } from '../sql/columns.ts';
import { HOLDS, MESSAGES, OUTBOX, RUNS, type TableSpec } from '../sql/database.ts';
import { CONSUMER_KEPT_MS } from '../sql/events.ts';
import { approversOf } from '../sql/holds.ts';
import { REPLACE_MESSAGE } from '../sql/runs.ts';
import { changedColumns, encodeRow, keyOf } from '../sql/sql-table.ts';
import type { BufferedWrite, Guard, WriteBuffer } from '../known/write-buffer.ts';

/** A row that a part of a statement reads from its parameter. A missing column is `null`. */
export type InputRow = Readonly<Record<string, ColumnValue | readonly string[]>>;

/** The columns of the rows of a part, and the table that has columns of these names and types. */
export interface InputColumns {
  readonly table: string;
  readonly columns: readonly string[];
  /** Columns with a special type. */
  readonly others?: Readonly<Record<string, string>> | undefined;
}

/** A part of a statement. Its text depends only on its shape, so it serves any number of rows. */
export interface CommitPart {
  readonly shape: string;
  readonly input: InputColumns;
  /** Returns the text; `input` is the list of rows as an item of `from`, and `value` the value of a column. */
  readonly text: (input: string, value: (column: string) => string) => string;
  /** True if it must find all of its rows. */
  readonly isRequired?: boolean;
}

/** A part with its rows. */
export interface FilledPart {
  readonly part: CommitPart;
  readonly rows: readonly InputRow[];
}

/** Is true, and evaluated before the rows of a part are locked. */
const IS_LIMITED = '(select lock_timeout from limits) is not null';

/**
 * Returns a condition that is true for each value of a column that is not null. The planner
 * estimates that it selects one row. So the planner uses the index of the keys, regardless of the
 * size of the table at that time.
 */
export function isOneRow(column: string): string {
  return `${column} = concat(${column})`;
}

const IS_INPUT = isOneRow('x.tenant');

const EVENT_COLUMNS = Object.keys(OUTBOX.columns).map(columnOf);
const ASSIGNED: Readonly<Record<string, string>> = {
  transaction_id: 'pg_current_xact_id()::text::bigint',
  sequence: `nextval('desk_outbox_sequence')`,
};

/** Returns the parts that make all writes of a transaction, if no row that it relies on has changed. */
export function partsOf({ guards, writes, events }: WriteBuffer): readonly FilledPart[] {
  const isOfRun = ({ spec }: Guard | BufferedWrite) => spec.name === RUNS.name;
  const list = new PartList();
  // The run is locked before everything else, as in other transactions.
  for (const guard of guards) if (isOfRun(guard)) list.addGuard(guard);
  for (const write of writes) if (isOfRun(write)) list.addWrite(write);
  for (const guard of guards) if (!isOfRun(guard)) list.addGuard(guard);
  for (const write of writes) if (!isOfRun(write)) list.addWrite(write);
  if (events.length > 0) {
    const rows = events.map((event) =>
      encodeRow(OUTBOX, { ...event, transactionId: 0, sequence: 0 }),
    );
    list.add(EVENTS, rows);
    // The tasks of events come last.
    list.add(
      ENQUEUED,
      events.map(({ tenant, id, at }) => ({ tenant, id, at })),
    );
  }
  return list.parts;
}

const EVENTS: CommitPart = {
  shape: 'events',
  input: { table: OUTBOX.name, columns: EVENT_COLUMNS.filter((name) => !(name in ASSIGNED)) },
  text: (input, value) =>
    `insert into desk_outbox (${EVENT_COLUMNS.map(quoted).join(', ')})
      select ${EVENT_COLUMNS.map((name) => ASSIGNED[name] ?? value(name)).join(', ')} from ${input}`,
};

/** The part that adds a task for each event, if a process delivers events. */
export const ENQUEUED: CommitPart = {
  shape: 'enqueued',
  input: { table: OUTBOX.name, columns: ['tenant', 'id', 'at'] },
  text: (input) => `insert into desk_tasks (tenant, kind, id, due, fence, attempts)
    select x.tenant, 'outbox', x.id, x.at, 0, 0 from ${input}
    where exists (select 1 from desk_meta where name = 'event_consumer_seen_at'
      and value > 0 and value > x.at - ${CONSUMER_KEPT_MS}) returning 1`,
};

/** Collects the rows of parts with the same shape. */
class PartList {
  readonly #parts = new Map<string, { readonly part: CommitPart; readonly rows: InputRow[] }>();

  get parts(): readonly FilledPart[] {
    return [...this.#parts.values()];
  }

  add(part: CommitPart, rows: readonly InputRow[]): void {
    const known = this.#parts.get(part.shape);
    if (known === undefined) this.#parts.set(part.shape, { part, rows: [...rows] });
    else known.rows.push(...rows);
  }

  addGuard({ spec, known }: Guard): void {
    const shape = `guard ${spec.name}`;
    this.add(
      partOf(shape, () => ({
        shape,
        input: { table: spec.name, columns: keyColumns(spec), others: VERSION },
        text: (input) =>
          `select 1 from ${input}, ${spec.name} t where ${hasKey(spec)} and ${IS_INPUT} and ${IS_LIMITED}
            and t.xmin = x.version::xid for no key update of t`,
        isRequired: true,
      })),
      [{ ...keyRow(spec, keyOf(spec, known.row)), version: known.version }],
    );
  }

  addWrite(write: BufferedWrite): void {
    switch (write.kind) {
      case 'insert':
        this.#addInsert(write.spec.name, encodeRow(write.spec, write.row));
        if (isHold(write.spec, write.row)) this.#insertApprovers(write.row);
        return;
      case 'update':
        return this.#addUpdate(write);
      case 'delete':
        return this.#addDelete(write);
    }
  }

  #addDelete({ spec, key, before }: Extract<BufferedWrite, { kind: 'delete' }>): void {
    const columns = keyColumns(spec);
    if (before === undefined) {
      const shape = `delete ${spec.name}`;
      const part = partOf(shape, () => ({
        shape,
        input: { table: spec.name, columns },
        text: (input) =>
          `delete from ${spec.name} t using ${input} where ${hasKey(spec)} and ${IS_INPUT}`,
      }));
      this.add(part, [keyRow(spec, key)]);
      return;
    }
    const shape = `delete unchanged ${spec.name}`;
    const part = partOf(shape, () => ({
      shape,
      input: { table: spec.name, columns, others: VERSION },
      text: (input) => `delete from ${spec.name} t using ${input}
        where ${hasKey(spec)} and ${IS_INPUT} and ${IS_LIMITED} and t.xmin = x.version::xid returning t.xmin`,
      isRequired: true,
    }));
    this.add(part, [{ ...keyRow(spec, key), version: before.version }]);
  }

  #addUpdate({ spec, before, row }: Extract<BufferedWrite, { kind: 'update' }>): void {
    const changed = changedColumns(spec, before.row, row);
    const columns = Object.keys(changed);
    if (isHold(spec, row) && isHold(spec, before.row)) this.#updateApprovers(before.row, row);
    if (columns.length === 0) return this.addGuard({ spec, known: before });
    const shape = `update ${spec.name} ${columns.join()}`;
    this.add(
      partOf(shape, () => ({
        shape,
        input: { table: spec.name, columns: [...keyColumns(spec), ...columns], others: VERSION },
        text: (input, value) => {
          const values = columns.map((column) => `${quoted(column)} = ${value(column)}`);
          return `update ${spec.name} t set ${values.join(', ')} from ${input}
            where ${hasKey(spec)} and ${IS_INPUT} and ${IS_LIMITED} and t.xmin = x.version::xid returning 1`;
        },
        isRequired: true,
      })),
      [{ ...keyRow(spec, keyOf(spec, row)), version: before.version, ...changed }],
    );
  }

  #updateApprovers(before: HoldRow, after: HoldRow): void {
    const approvers = approversOf(after);
    if (JSON.stringify(approversOf(before)) === JSON.stringify(approvers)) return;
    // All parts of a statement see the rows from before the statement, so new approvers must differ
    // from the deleted ones.
    const kept = approvers.map(({ kind, name }) => `${kind} ${name}`);
    this.add(OTHER_APPROVERS, [{ tenant: after.tenant, hold_id: after.id, kept }]);
    this.#insertApprovers(after);
  }

  #insertApprovers(hold: HoldRow): void {
    for (const approver of approversOf(hold)) this.#addInsert('desk_hold_approvers', approver);
  }

  #addInsert(table: string, row: InputRow): void {
    const columns = Object.keys(row);
    const shape = `insert ${table} ${columns.join()}`;
    const filled: Record<string, InputRow[string]> = {};
    for (const column of columns) {
      const value = row[column] ?? null;
      if (value !== null) filled[column] = value;
    }
    const onConflict = ON_CONFLICT[table] ?? '';
    this.add(
      partOf(shape, () => ({
        shape,
        input: { table, columns },
        text: (input, value) =>
          `insert into ${table} (${columns.map(quoted).join(', ')})
            select ${columns.map(value).join(', ')} from ${input} ${onConflict}`,
      })),
      [filled],
    );
  }
}

const VERSION = { version: 'text' };

const ON_CONFLICT: Readonly<Record<string, string>> = {
  [MESSAGES.name]: REPLACE_MESSAGE,
  desk_hold_approvers: 'on conflict do nothing',
};

const OTHER_APPROVERS: CommitPart = {
  shape: 'other approvers',
  input: {
    table: 'desk_hold_approvers',
    columns: ['tenant', 'hold_id'],
    others: { kept: 'text[]' },
  },
  text: (input) => `delete from desk_hold_approvers t using ${input}
    where t.tenant = x.tenant and t.hold_id = x.hold_id and ${IS_INPUT}
      and t.kind || ' ' || t.name <> all (x.kept)`,
};

/** The parts by their shapes. The number of different shapes is small. */
const parts = new Map<string, CommitPart>();

function partOf(shape: string, create: () => CommitPart): CommitPart {
  const known = parts.get(shape) ?? create();
  parts.set(shape, known);
  return known;
}

function keyColumns(spec: TableSpec<object>): readonly string[] {
  const fields: readonly string[] = spec.key;
  return fields.map(columnOf);
}

function keyRow(
  spec: TableSpec<object>,
  key: readonly (string | number)[],
): Readonly<Record<string, string | number>> {
  const row: Record<string, string | number> = {};
  for (const [index, column] of keyColumns(spec).entries()) row[column] = key[index] ?? '';
  return row;
}

function hasKey(spec: TableSpec<object>): string {
  return keyColumns(spec)
    .map((column) => `t.${quoted(column)} = x.${quoted(column)}`)
    .join(' and ');
}

function isHold(spec: TableSpec<object>, _row: object): _row is HoldRow {
  return spec.name === HOLDS.name;
}

/** Returns the name of a column in a statement. */
export function quoted(column: string): string {
  return `"${column}"`;
}
