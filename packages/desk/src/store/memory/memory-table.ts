import type { Table } from '../store.ts';
import type { TableSpec } from '../tables/table-spec.ts';
import { toJsonRow } from './to-json-row.ts';

/** What must be unique in a table beside its key: rows with the same text are in each other's way. */
export type UniqueText<Row> = (row: Row) => string | undefined;

/** Undoes a change. */
type Undo = () => void;

/** The rows of a table in memory. */
export class MemoryTable<Row extends object, Key extends readonly (string | number)[]>
  implements Table<Row, Key>
{
  protected readonly rows: Map<string, Row> = new Map();
  readonly #spec: TableSpec<Row>;
  readonly #uniques: readonly {
    readonly textOf: UniqueText<Row>;
    readonly taken: Map<string, string>;
  }[];
  #undo: Undo[] = [];

  constructor(spec: TableSpec<Row>, uniques: readonly UniqueText<Row>[] = []) {
    this.#spec = spec;
    this.#uniques = uniques.map((textOf) => ({ textOf, taken: new Map<string, string>() }));
  }

  async get(...key: Key): Promise<Row | undefined> {
    return this.rows.get(JSON.stringify(key));
  }

  lock(...key: Key): Promise<Row | undefined> {
    return this.get(...key);
  }

  async insert(row: Row): Promise<boolean> {
    const id = this.#idOf(row);
    if (this.rows.has(id) || this.#isTaken(row, id)) return false;
    this.#set(id, row);
    return true;
  }

  async put(row: Row): Promise<void> {
    const id = this.#idOf(row);
    if (!this.rows.has(id)) throw new Error(`There is no such row in ${this.#spec.name}.`);
    if (this.#isTaken(row, id)) throw new Error(`A row of ${this.#spec.name} is not unique.`);
    this.#set(id, row);
  }

  async remove(...key: Key): Promise<void> {
    this.#set(JSON.stringify(key), undefined);
  }

  /** Keeps what was changed since the last time. */
  commit(): void {
    this.#undo = [];
  }

  /** Takes back what was changed since the last time. */
  rollBack(): void {
    for (const undo of this.#undo.toReversed()) undo();
    this.#undo = [];
  }

  #idOf(row: Row): string {
    return JSON.stringify(this.#spec.key.map((field) => row[field]));
  }

  #isTaken(row: Row, id: string): boolean {
    return this.#uniques.some(({ textOf, taken }) => {
      const text = textOf(row);
      const other = text === undefined ? undefined : taken.get(text);
      return other !== undefined && other !== id;
    });
  }

  #set(id: string, row: Row | undefined): void {
    const before = this.rows.get(id);
    const after = row && toJsonRow(row);
    this.#replace(id, before, after);
    this.#undo.push(() => this.#replace(id, after, before));
  }

  #replace(id: string, before: Row | undefined, after: Row | undefined): void {
    for (const { textOf, taken } of this.#uniques) {
      const old = before && textOf(before);
      const text = after && textOf(after);
      if (old !== undefined) taken.delete(old);
      if (text !== undefined) taken.set(text, id);
    }
    if (after === undefined) this.rows.delete(id);
    else this.rows.set(id, after);
  }
}
