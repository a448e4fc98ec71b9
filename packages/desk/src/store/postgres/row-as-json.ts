import { columnOf } from '../sql/columns.ts';
import type { TableSpec } from '../sql/database.ts';

/** Returns an expression for a row as a JSON array: its version, and its columns in the order of the specification. */
export function rowAsJson<Row>(spec: TableSpec<Row>, alias: string): string {
  const columns = Object.entries(spec.columns).map(([field, kind]) => {
    // The keys of a specification are the members of its rows.
    const selected = spec.selected?.[field as keyof Row & string];
    const column = selected?.((name) => `${alias}."${name}"`) ?? `${alias}."${columnOf(field)}"`;
    return kind === 'json' || kind === 'document' ? `${column}::text` : column;
  });
  return `json_build_array(${alias}.xmin::text, ${columns.join(', ')})`;
}
