/** The columns of a row. A missing member is `null`, and members that are objects are JSON texts. */
export type Columns<Row> = {
  readonly [Field in keyof Row & string as SnakeCase<Field>]-?: Stored<Row[Field]>;
};

type Stored<Value> = Value extends string | number | boolean
  ? Value
  : Value extends undefined
    ? null
    : string;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** How the values of a column are converted. A `document` is JSON that rows have as text. */
export type ColumnKind = 'plain' | 'boolean' | 'json' | 'document';

/** A value that both databases accept. */
export type ColumnValue = string | number | boolean | null;

/** Returns the names of a table's columns, to select them. */
export function columnNames<Row>(spec: {
  readonly columns: { readonly [Field in keyof Required<Row>]: ColumnKind };
}): readonly (keyof Columns<Row>)[] {
  // `columnOf` is the implementation of the type `SnakeCase`.
  return Object.keys(spec.columns).map(columnOf) as (keyof Columns<Row>)[];
}

const columnNamesByField = new Map<string, string>();

/** Returns the column of a member. */
export function columnOf(field: string): string {
  const known = columnNamesByField.get(field);
  if (known !== undefined) return known;
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columnNamesByField.set(field, column);
  return column;
}
