import { type CompiledQuery, type QueryResult, type RawBuilder, sql, type SqlBool } from 'kysely';
import { frozenJson } from '../../model/json.ts';
import type { Cursor } from '../../model/page.ts';
import type { Table } from '../store.ts';
import { columnOf, type ColumnKind, type ColumnValue } from './columns.ts';
import type { Db, TableSpec } from './database.ts';
import { Statements } from './statements.ts';

/** The expressions in which the databases differ. */
export interface SqlDialect {
  /** Locks the selected rows until the transaction ends; empty if one transaction writes at a time. */
  readonly forUpdate: string;
  /** Returns the placeholder of a value, by its number in the statement, from 1. */
  readonly placeholder: (number: number) => string;
  /** Locks the selected rows, and skips rows that another transaction has locked. */
  readonly skipLocked: RawBuilder<unknown>;
  /** The time in milliseconds: an expression, or a function if the clock is that of the process. */
  readonly now: RawBuilder<number> | (() => number);
  /** The id of the current transaction, which only grows; 0 if one transaction writes at a time. */
  readonly transactionId: string;
  /** The number of the next event. */
  readonly nextSequence: string;
  /** The lowest id of a transaction that has not ended; `undefined` if one transaction writes at a time. */
  readonly oldestTransaction: RawBuilder<number> | undefined;
  /** Selects the ids of holds with words that begin with each of these, at most `max`. */
  readonly idsWithWords: (tenant: string, words: SearchedWords, max: number) => RawBuilder<string>;
  /** Returns the condition that a hold has such words. It reads the hold, not the index of words. */
  readonly hasWords: (words: readonly string[]) => RawBuilder<SqlBool>;
  /**
   * Selects the holds with few ids by their keys, independently of the estimates of the planner.
   */
  readonly holdsWithIds: (tenant: string, ids: RawBuilder<string>) => RawBuilder<object>;
}

/** The words of a search. */
export interface SearchedWords {
  /** The words that the index finds. */
  readonly indexed: readonly string[];
  /** The words that are compared with the holds that the index has found. */
  readonly verified: readonly string[];
}

/** The connection of a transaction, with its dialect. */
export interface SqlContext {
  readonly db: Db;
  readonly dialect: SqlDialect;
  /** Executes a statement that is compiled already. */
  readonly execute: (statement: CompiledQuery<object>) => Promise<QueryResult<object>>;
}

/** The rows of a table. The subclasses add the queries of one table. */
export class SqlTable<Row extends object, Key extends readonly (string | number)[]>
  implements Table<Row, Key>
{
  protected readonly db: Db;
  protected readonly dialect: SqlDialect;
  readonly #execute: SqlContext['execute'];
  readonly #spec: TableSpec<Row>;
  readonly #statements: Statements;
  /** The rows that this transaction read or wrote, by key. */
  readonly #read = new Map<string, Row>();

  constructor({ db, dialect, execute }: SqlContext, spec: TableSpec<Row>) {
    this.db = db;
    this.#execute = execute;
    this.dialect = dialect;
    this.#spec = spec;
    this.#statements = Statements.of(dialect, spec.name);
  }

  get(...key: Key): Promise<Row | undefined> {
    return this.#select('get', key, '');
  }

  lock(...key: Key): Promise<Row | undefined> {
    return this.#select('lock', key, this.dialect.forUpdate);
  }

  async insert(row: Row): Promise<boolean> {
    const assigned = this.assigned(row);
    const encoded = encodeRow(this.#spec, row);
    const columns = Object.keys(encoded).filter((column) => !(column in assigned));
    const { numAffectedRows } = await this.execute(
      `insert ${columns.join()}`,
      () => {
        const all = [...columns, ...Object.keys(assigned)].map((column) => `"${column}"`);
        const values = [...columns.map(() => '?'), ...Object.values(assigned)];
        return `insert into ${this.#spec.name} (${all.join(', ')}) values (${values.join(', ')}) ${this.onConflict}`;
      },
      columns.map((column) => encoded[column] ?? null),
    );
    const isInserted = numAffectedRows === 1n;
    if (isInserted) this.remember(row);
    return isInserted;
  }

  async put(row: Row): Promise<void> {
    const key = keyOf(this.#spec, row);
    const before = this.#read.get(JSON.stringify(key));
    const changed = changedColumns(this.#spec, before, row);
    this.#read.set(JSON.stringify(key), row);
    const columns = Object.keys(changed);
    if (columns.length === 0) return;
    const values = [...Object.values(changed), ...key];
    const { numAffectedRows } = await this.execute(
      `update ${columns.join()}`,
      () => {
        const changes = columns.map((column) => `"${column}" = ?`);
        return `update ${this.#spec.name} set ${changes.join(', ')} where ${this.#hasKey}`;
      },
      values,
    );
    if (numAffectedRows === 1n) return;
    throw new Error(`\`put\` found no row (${key.join(', ')}) in ${this.#spec.name}.`);
  }

  /** Records that a row is stored, so that `put` writes only the columns that differ. */
  remember(row: Row): void {
    this.#read.set(JSON.stringify(keyOf(this.#spec, row)), row);
  }

  async remove(...key: Key): Promise<void> {
    this.#read.delete(JSON.stringify(key));
    await this.execute('remove', () => `delete from ${this.#spec.name} where ${this.#hasKey}`, key);
  }

  /** The part of an insertion for a row whose key is taken. */
  protected get onConflict(): string {
    return 'on conflict do nothing';
  }

  /** Returns the expressions of columns of a new row that the database assigns. */
  protected assigned(_row: Row): Readonly<Record<string, string>> {
    return {};
  }

  /** Returns the rows that fulfil a condition, which has `?` for each value. */
  protected async where(condition: string, values: readonly ColumnValue[]): Promise<Row[]> {
    const { rows } = await this.execute(
      condition,
      () => `select ${selectedColumns(this.#spec)} from ${this.#spec.name} where ${condition}`,
      values,
    );
    return rows.map((row) => this.decode(row));
  }

  /**
   * Executes a statement with `?` for each value. Its name is unique in the table. The text is compiled once, because
   * compiling a statement takes longer than executing it.
   */
  protected execute(
    name: string,
    text: () => string,
    values: readonly ColumnValue[],
  ): Promise<QueryResult<object>> {
    const compiled = this.#statements.compile(name, text);
    return this.#execute({ ...compiled, parameters: values });
  }

  /** Executes a query; returns all rows. */
  protected async all(query: { execute(): Promise<object[]> }): Promise<Row[]> {
    return (await query.execute()).map((row) => this.decode(row));
  }

  /** Executes a query; returns the first row. */
  protected async first(query: { execute(): Promise<object[]> }): Promise<Row | undefined> {
    const [row] = await query.execute();
    return row && this.decode(row);
  }

  /** Converts a selected row to a frozen object without members for `null`. */
  protected decode(columns: object): Row {
    const row = decodeRow(this.#spec, columns);
    this.remember(row);
    return row;
  }

  async #select(name: string, key: Key, locking: string): Promise<Row | undefined> {
    const { rows } = await this.execute(
      name,
      () => {
        const columns = selectedColumns(this.#spec);
        return `select ${columns} from ${this.#spec.name} where ${this.#hasKey} ${locking}`;
      },
      key,
    );
    return rows[0] && this.decode(rows[0]);
  }

  /** The condition for the key. */
  get #hasKey(): string {
    return this.#spec.key.map((field) => `"${columnOf(field)}" = ?`).join(' and ');
  }
}

function selectedColumns<Row>({ columns, selected }: TableSpec<Row>): string {
  const all = Object.keys(columns).map((field) => {
    const column = `"${columnOf(field)}"`;
    // The keys of a specification are the members of its rows.
    const expression = selected?.[field as keyof Row & string];
    return expression === undefined ? column : `${expression((name) => `"${name}"`)} as ${column}`;
  });
  return all.join(', ');
}

/** Returns a list of `?` for an `in` condition. */
export function placeholdersFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/** Returns the values of the primary key of a row. */
export function keyOf<Row extends object>(
  { key }: TableSpec<Row>,
  row: Row,
): readonly (string | number)[] {
  // Members of a key are texts and numbers.
  return key.map((field) => row[field] as string | number);
}

/** Returns the columns of a row. */
export function encodeRow<Row extends object>(
  spec: TableSpec<Row>,
  row: Row,
): Readonly<Record<string, ColumnValue>> {
  const values: Record<string, ColumnValue> = {};
  for (const { field, column, kind } of fieldsOf(spec)) {
    values[column] = encodeValue(kind, row[field]);
  }
  return Object.assign(values, spec.derived?.(row));
}

/** Returns the columns of a row that differ from those of the row before; all columns if that one is unknown. */
export function changedColumns<Row extends object>(
  spec: TableSpec<Row>,
  before: Row | undefined,
  after: Row,
): Readonly<Record<string, ColumnValue>> {
  if (before === undefined) return encodeRow(spec, after);
  const changed: Record<string, ColumnValue> = {};
  for (const { field, column, kind } of fieldsOf(spec)) {
    if (before[field] === after[field]) continue;
    const value = encodeValue(kind, after[field]);
    if (value !== encodeValue(kind, before[field])) changed[column] = value;
  }
  return Object.keys(changed).length === 0
    ? changed
    : { ...changed, ...changedDerived(spec, before, after) };
}

function changedDerived<Row extends object>(
  { derived }: TableSpec<Row>,
  before: Row,
  after: Row,
): Readonly<Record<string, ColumnValue>> {
  const earlier = derived?.(before) ?? {};
  const entries = Object.entries(derived?.(after) ?? {});
  return Object.fromEntries(entries.filter(([column, value]) => value !== earlier[column]));
}

/** Converts a selected row to a frozen object without members for `null`. */
function decodeRow<Row extends object>(spec: TableSpec<Row>, columns: object): Row {
  const values = fieldsOf(spec).map(({ column }): unknown => Reflect.get(columns, column));
  return decodeValues(spec, values);
}

/** Converts the values of a row, in the order of its specification. */
export function decodeValues<Row extends object>(
  spec: TableSpec<Row>,
  values: readonly unknown[],
): Row {
  const row: Partial<Row> = {};
  for (const [index, { field, kind }] of fieldsOf(spec).entries()) {
    const value = values[index];
    // `encodeRow` wrote a value of this type.
    if (value !== null) row[field] = decodeValue(kind, value) as (typeof row)[typeof field];
  }
  // The specification names every member, and only the desk writes the table.
  const decoded = row as Row;
  return Object.freeze(spec.decoded?.(decoded) ?? decoded);
}

/** A member of the rows of a table, with its column. */
interface RowField<Row> {
  readonly field: keyof Row & string;
  readonly column: string;
  readonly kind: ColumnKind;
}

/** The members of rows, by the columns of their specifications. */
const fields = new WeakMap<object, readonly RowField<object>[]>();

function fieldsOf<Row extends object>({ columns }: TableSpec<Row>): readonly RowField<Row>[] {
  const known =
    fields.get(columns) ??
    Object.entries<ColumnKind>(columns).map(([field, kind]) => {
      // A list for any row has no type of its members.
      return { field: field as never, column: columnOf(field), kind };
    });
  fields.set(columns, known);
  // The keys of a specification are the members of its rows.
  return known as readonly RowField<Row>[];
}

function encodeValue(kind: ColumnKind, value: unknown): ColumnValue {
  if (value === undefined) return null;
  // Members that are not JSON are texts, numbers and booleans.
  return kind === 'json' ? JSON.stringify(value) : (value as ColumnValue);
}

function decodeValue(kind: ColumnKind, value: unknown): unknown {
  if (kind === 'json') return frozenJson(String(value));
  return kind === 'boolean' ? Boolean(value) : value;
}

/** Returns the condition that a row comes before (`<`) or after (`>`) a cursor. */
export function isBeyond(
  order: readonly string[],
  side: '<' | '>',
  cursor: Cursor,
): RawBuilder<SqlBool> {
  const columns = sql.join(order.map((field) => sql.ref(columnOf(field))));
  return sql`(${columns}) ${sql.raw(side)} (${sql.join([...cursor])})`;
}

/** Returns the condition that an id starts with hexadecimal digits. An index can serve the range. */
export function hasIdPrefix(prefix: string): RawBuilder<SqlBool> {
  return sql`(id >= ${prefix} and id < ${`${prefix}g`} and substr(id, 1, ${prefix.length}) = ${prefix})`;
}

/** Repeats the last id up to a power of two, so that few different statements are prepared. */
export function paddedIds(ids: readonly string[]): readonly string[] {
  const last = ids.at(-1);
  if (last === undefined) return ids;
  const count = 2 ** Math.ceil(Math.log2(ids.length));
  return [...ids, ...Array<string>(count - ids.length).fill(last)];
}
