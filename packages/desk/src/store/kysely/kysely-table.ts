import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Table } from '../store.ts';
import { fieldsOf, fromColumns, toColumns } from '../tables/row-codec.ts';
import { columnOf, type TableSpec } from '../tables/table-spec.ts';

/** A database of which the statements here say themselves what is in it. */
export type Database = Kysely<unknown>;

/** Where two databases differ. */
export interface Flavour {
  /** Locks the rows of a `SELECT` until the end of the transaction; nothing where only one can write. */
  readonly forUpdate: RawBuilder<unknown>;
  /** The same, passing over what somebody else has locked. */
  readonly skipLocked: RawBuilder<unknown>;
  /** The clock, as an expression in milliseconds; or a function where the process has it. */
  readonly now: RawBuilder<unknown> | (() => number);
  /** The id of the current transaction, as a number that only grows; 0 where one transaction writes at a time. */
  readonly transactionId: RawBuilder<unknown>;
  /** The number of the next event. */
  readonly nextSequence: RawBuilder<unknown>;
  /** The lowest id of a transaction that has not ended; `undefined` where one writes at a time. */
  readonly oldestTransaction: RawBuilder<unknown> | undefined;
}

/** The rows of a table in a database. */
export class KyselyTable<Row extends object, Key extends readonly (string | number)[]>
  implements Table<Row, Key>
{
  protected readonly db: Database;
  protected readonly spec: TableSpec<Row>;
  protected readonly flavour: Flavour;
  /** The name of the table, for statements. */
  protected readonly name: RawBuilder<unknown>;

  constructor(db: Database, spec: TableSpec<Row>, flavour: Flavour) {
    this.db = db;
    this.spec = spec;
    this.flavour = flavour;
    this.name = sql.table(spec.name);
  }

  get(...key: Key): Promise<Row | undefined> {
    return this.first(this.#hasKey(key));
  }

  lock(...key: Key): Promise<Row | undefined> {
    return this.first(sql`${this.#hasKey(key)} ${this.flavour.forUpdate}`);
  }

  async insert(row: Row): Promise<boolean> {
    const columns = sql.join(fieldsOf(this.spec).map((field) => sql.ref(columnOf(field))));
    const values = sql.join(toColumns(this.spec, row));
    const { numAffectedRows } =
      await sql`insert into ${this.name} (${columns}) values (${values}) on conflict do nothing`.execute(
        this.db,
      );
    return numAffectedRows === 1n;
  }

  async put(row: Row): Promise<void> {
    const values = toColumns(this.spec, row);
    const changes = fieldsOf(this.spec).map(
      (field, index) => sql`${sql.ref(columnOf(field))} = ${values[index]}`,
    );
    const { numAffectedRows } =
      await sql`update ${this.name} set ${sql.join(changes)} where ${this.#hasKey(this.#keyOf(row))}`.execute(
        this.db,
      );
    if (numAffectedRows !== 1n) throw new Error(`There is no such row in ${this.spec.name}.`);
  }

  async remove(...key: Key): Promise<void> {
    await sql`delete from ${this.name} where ${this.#hasKey(key)}`.execute(this.db);
  }

  /** The first row of which this holds; the condition may say more after it, such as an order. */
  protected async first(condition: RawBuilder<unknown>): Promise<Row | undefined> {
    const [row] = await this.all(condition);
    return row;
  }

  /** All rows of which this holds. */
  protected async all(condition: RawBuilder<unknown>): Promise<Row[]> {
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from ${this.name} where ${condition}`.execute(this.db);
    return rows.map((row) => fromColumns(this.spec, row));
  }

  #hasKey(key: readonly (string | number)[]): RawBuilder<unknown> {
    const parts = this.spec.key.map((field, index) => {
      return sql`${sql.ref(columnOf(field))} = ${key[index]}`;
    });
    return sql.join(parts, sql` and `);
  }

  #keyOf(row: Row): (string | number)[] {
    // Keys are texts and numbers.
    return this.spec.key.map((field) => row[field] as string | number);
  }
}
