import { frozenJson } from '../../model/json.ts';
import { type ColumnType, columnOf, type TableSpec } from './table-spec.ts';

/** What a database takes and gives. */
export type ColumnValue = string | number | null;

/** The values of a row, in the order of the columns. */
export function toColumns<Row extends object>(spec: TableSpec<Row>, row: Row): ColumnValue[] {
  return fieldsOf(spec).map((field) => toColumn(spec.columns[field], row[field]));
}

/** A row as the database gives it, as a frozen object without members for what is not there. */
export function fromColumns<Row extends object>(
  spec: TableSpec<Row>,
  columns: Readonly<Record<string, unknown>>,
): Row {
  const row: Record<string, unknown> = {};
  for (const field of fieldsOf(spec)) {
    const value = columns[columnOf(field)];
    if (value !== null && value !== undefined) row[field] = fromColumn(spec.columns[field], value);
  }
  // The specification names every field of the row, and only this package writes the table.
  return Object.freeze(row) as Row;
}

/** The fields of a table, in the order of its columns. */
export function fieldsOf<Row>(spec: TableSpec<Row>): (keyof Row & string)[] {
  // The keys of a specification are those of its rows.
  return Object.keys(spec.columns) as (keyof Row & string)[];
}

function toColumn(type: ColumnType, value: unknown): ColumnValue {
  if (value === undefined) return null;
  if (type === 'json') return JSON.stringify(value);
  if (type === 'boolean') return value ? 1 : 0;
  // Texts and numbers are what the specification says they are.
  return value as ColumnValue;
}

function fromColumn(type: ColumnType, value: unknown): unknown {
  if (type === 'json') return frozenJson(String(value));
  if (type === 'boolean') return Number(value) === 1;
  return type === 'number' ? Number(value) : value;
}
