import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { frozenJson } from '../../model/json.ts';
import type { Cursor } from '../../model/page.ts';
import type { Table } from '../store.ts';
import { columnNames, columnOf, type Db, type TableSpec } from './database.ts';

/** The expressions in which the databases differ. */
export interface SqlDialect {
  /** Locks the selected rows until the transaction ends; empty if one transaction writes at a time. */
  readonly forUpdate: RawBuilder<unknown>;
  /** Locks the selected rows, and skips rows that another transaction has locked. */
  readonly skipLocked: RawBuilder<unknown>;
  /** The time in milliseconds: an expression, or a function if the clock is that of the process. */
  readonly now: RawBuilder<number> | (() => number);
  /** The id of the current transaction, which only grows; 0 if one transaction writes at a time. */
  readonly transactionId: RawBuilder<number>;
  /** The number of the next event. */
  readonly nextSequence: RawBuilder<number>;
  /** The lowest id of a transaction that has not ended; `undefined` if one transaction writes at a time. */
  readonly oldestTransaction: RawBuilder<number> | undefined;
}

/** The connection of a transaction, with its dialect. */
export interface SqlContext {
  readonly db: Db;
  readonly dialect: SqlDialect;
}

/** A value that both databases accept. */
type ColumnValue = string | number | boolean | null;

/** The rows of a table. The subclasses add the queries of one table. */
export class SqlTable<Row extends object, Key extends readonly (string | number)[]>
  implements Table<Row, Key>
{
  protected readonly db: Db;
  protected readonly dialect: SqlDialect;
  readonly #spec: TableSpec<Row>;
  readonly #fields: readonly (keyof Row & string)[];

  constructor({ db, dialect }: SqlContext, spec: TableSpec<Row>) {
    this.db = db;
    this.dialect = dialect;
    this.#spec = spec;
    // The keys of a specification are the members of its rows.
    this.#fields = Object.keys(spec.columns) as (keyof Row & string)[];
  }

  get(...key: Key): Promise<Row | undefined> {
    return this.#select(key, sql``);
  }

  lock(...key: Key): Promise<Row | undefined> {
    return this.#select(key, this.dialect.forUpdate);
  }

  async insert(row: Row): Promise<boolean> {
    const values = Object.entries(this.#encode(row));
    const columns = sql.join(values.map(([column]) => sql.ref(column)));
    const { numAffectedRows } = await sql`insert into ${this.#table} (${columns})
      values (${sql.join(values.map(([, value]) => value))}) on conflict do nothing`.execute(
      this.db,
    );
    return numAffectedRows === 1n;
  }

  async put(row: Row): Promise<void> {
    const changes = Object.entries(this.#encode(row)).map(
      ([column, value]) => sql`${sql.ref(column)} = ${value}`,
    );
    // Members of a key are texts and numbers.
    const key = this.#spec.key.map((field) => row[field] as string | number);
    const { numAffectedRows } = await sql`update ${this.#table} set ${sql.join(changes)}
      where ${this.#hasKey(key)}`.execute(this.db);
    if (numAffectedRows === 1n) return;
    throw new Error(`\`put\` found no row (${key.join(', ')}) in ${this.#spec.name}.`);
  }

  async remove(...key: Key): Promise<void> {
    await sql`delete from ${this.#table} where ${this.#hasKey(key)}`.execute(this.db);
  }

  /** Returns the columns that the table derives from a row, for queries and indexes. */
  protected derived(_row: Row): Readonly<Record<string, ColumnValue | RawBuilder<unknown>>> {
    return {};
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
    const row: Partial<Row> = {};
    for (const field of this.#fields) {
      const value: unknown = Reflect.get(columns, columnOf(field));
      if (value !== null) row[field] = this.#decodeValue(field, value);
    }
    // The specification names every member, and only this class writes the table.
    return Object.freeze(row) as Row;
  }

  async #select(key: Key, locking: RawBuilder<unknown>): Promise<Row | undefined> {
    const columns = sql.join(columnNames(this.#spec).map((column) => sql.ref(String(column))));
    const { rows } = await sql<object>`select ${columns} from ${this.#table}
      where ${this.#hasKey(key)} ${locking}`.execute(this.db);
    return rows[0] && this.decode(rows[0]);
  }

  #encode(row: Row): Readonly<Record<string, ColumnValue | RawBuilder<unknown>>> {
    const values = this.#fields.map((field) => [columnOf(field), this.#encodeValue(field, row)]);
    return { ...Object.fromEntries(values), ...this.derived(row) };
  }

  #encodeValue(field: keyof Row & string, row: Row): ColumnValue {
    const value: unknown = row[field];
    if (value === undefined) return null;
    // Members that are not JSON are texts, numbers and booleans.
    return this.#spec.columns[field] === 'json' ? JSON.stringify(value) : (value as ColumnValue);
  }

  #decodeValue(field: keyof Row & string, value: unknown): Row[keyof Row & string] {
    const kind = this.#spec.columns[field];
    const decoded =
      kind === 'json' ? frozenJson(String(value)) : kind === 'boolean' ? Boolean(value) : value;
    // `encode` wrote a value of this type.
    return decoded as Row[keyof Row & string];
  }

  get #table(): RawBuilder<unknown> {
    return sql.table(this.#spec.name);
  }

  #hasKey(key: readonly (string | number)[]): RawBuilder<unknown> {
    const parts = this.#spec.key.map(
      (field, index) => sql`${sql.ref(columnOf(field))} = ${key[index]}`,
    );
    return sql.join(parts, sql` and `);
  }
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
