import { toJson } from '../../model/json.ts';

/** A row as a database would give it back: a frozen copy, JSON all through. */
export function toJsonRow<Row extends object>(row: Row): Row {
  // Rows are JSON; interfaces just do not say so.
  return toJson(row) as unknown as Row;
}
