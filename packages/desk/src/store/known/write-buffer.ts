import type { NewOutboxRow } from '../../model/outbox-row.ts';
import type { TableSpec } from '../sql/database.ts';
import { type KnownRow, keyText } from './run-knowledge.ts';

/** A transaction needs more than rows that are known: it has to be executed on the rows of the database. */
export class UnknownRowsError extends Error {
  override readonly name = 'UnknownRowsError';
}

/** Writes of a transaction that are not sent yet. */
export type BufferedWrite<Row extends object = object> =
  | { readonly kind: 'insert'; readonly spec: TableSpec<Row>; readonly row: Row }
  | {
      readonly kind: 'update';
      readonly spec: TableSpec<Row>;
      readonly before: KnownRow<Row>;
      readonly row: Row;
    }
  | {
      readonly kind: 'delete';
      readonly spec: TableSpec<Row>;
      readonly key: readonly string[];
      /** The row that the transaction read, if it relies on it. */
      readonly before: KnownRow<Row> | undefined;
    };

/** A row that a transaction relies on. */
export interface Guard<Row extends object = object> {
  readonly spec: TableSpec<Row>;
  readonly known: KnownRow<Row>;
}

/** The writes of a transaction, and the rows that must not have changed. Several writes to a row become one. */
export class WriteBuffer {
  readonly #writes = new Map<string, BufferedWrite>();
  readonly #guards = new Map<string, Guard>();
  /** Keys that the transaction took to be free. Inserting a row verifies it. */
  readonly #assumedFree = new Set<string>();
  readonly events: NewOutboxRow[] = [];

  get writes(): readonly BufferedWrite[] {
    return [...this.#writes.values()];
  }

  /** The rows that the transaction relies on and does not write, in the order of their locks. */
  get guards(): readonly Guard[] {
    return [...this.#guards].filter(([key]) => !this.#writes.has(key)).map(([, guard]) => guard);
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0 && this.events.length === 0;
  }

  /** True if the commit verifies everything that the transaction relies on. */
  get isVerifiable(): boolean {
    return this.#assumedFree.size === 0;
  }

  /** Returns the buffered row of a key; `null` if the transaction removes it, `undefined` if it does not write it. */
  find<Row extends object>(spec: TableSpec<Row>, key: string): Row | null | undefined {
    const write = this.#writes.get(idOf(spec, key));
    if (write === undefined) return undefined;
    // The id contains the name of the table, so the row is one of its rows.
    return write.kind === 'delete' ? null : (write.row as Row);
  }

  /** Returns the buffered new rows of a table. */
  inserted<Row extends object>(spec: TableSpec<Row>): readonly Row[] {
    // The rows of a table have its type.
    return this.writes.flatMap((write) =>
      write.kind === 'insert' && write.spec.name === spec.name ? [write.row as Row] : [],
    );
  }

  guard<Row extends object>(spec: TableSpec<Row>, known: KnownRow<Row>): void {
    this.#guards.set(idOf(spec, keyText(spec, known.row)), { spec, known } as unknown as Guard);
  }

  assumeFree<Row>(spec: TableSpec<Row>, key: string): void {
    this.#assumedFree.add(idOf(spec, key));
  }

  insert<Row extends object>(spec: TableSpec<Row>, row: Row): void {
    const id = idOf(spec, keyText(spec, row));
    this.#assumedFree.delete(id);
    // A row that was removed in this transaction would be inserted before it is removed.
    if (this.#writes.has(id)) throw new UnknownRowsError();
    this.#set(id, { kind: 'insert', spec, row });
  }

  /** Replaces a row; `known` is its stored version, if it has one. */
  put<Row extends object>(spec: TableSpec<Row>, row: Row, known: KnownRow<Row> | undefined): void {
    const id = idOf(spec, keyText(spec, row));
    const buffered = this.#writes.get(id);
    if (buffered?.kind === 'insert') this.#set(id, { kind: 'insert', spec, row });
    else if (known !== undefined && buffered?.kind !== 'delete') {
      this.#set(id, { kind: 'update', spec, before: known, row });
    } else throw new UnknownRowsError();
  }

  /** Removes a row that this transaction would insert, if there is one. */
  dropInsert<Row extends object>(spec: TableSpec<Row>, key: readonly (string | number)[]): void {
    this.#writes.delete(idOf(spec, JSON.stringify(key)));
  }

  remove<Row extends object>(spec: TableSpec<Row>, key: readonly string[]): void {
    const id = idOf(spec, JSON.stringify(key));
    const buffered = this.#writes.get(id);
    if (buffered?.kind === 'insert') {
      this.#writes.delete(id);
      return;
    }
    const read = buffered?.kind === 'update' ? buffered.before : this.#guards.get(id)?.known;
    // The id contains the name of the table, so the row is one of its rows.
    this.#set(id, { kind: 'delete', spec, key, before: read as KnownRow<Row> | undefined });
  }

  #set<Row extends object>(id: string, write: BufferedWrite<Row>): void {
    // Writes of all tables are in one list, each with the specification of its table.
    this.#writes.set(id, write as unknown as BufferedWrite);
  }
}

function idOf<Row>({ name }: TableSpec<Row>, key: string): string {
  return `${name} ${key}`;
}
