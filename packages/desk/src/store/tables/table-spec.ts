/** What a column holds: text, a whole number, yes or no, or JSON. */
export type ColumnType = 'text' | 'number' | 'boolean' | 'json';

/** How the rows of a table lie in a database. */
export interface TableSpec<Row> {
  readonly name: string;
  /** The fields that make the key, the tenant first. */
  readonly key: readonly (keyof Row & string)[];
  readonly columns: { readonly [Field in keyof Required<Row>]: ColumnType };
}

/** The name of the column of a field: `runId` is in `run_id`. */
export function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
