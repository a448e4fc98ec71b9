import { CompiledQuery } from 'kysely';

/** The part of a dialect that compiles statements. */
interface Placeholders {
  readonly placeholder: (number: number) => string;
}

const statements = new WeakMap<Placeholders, Map<string, Statements>>();

/** The statements of a table that are compiled once. */
export class Statements {
  readonly #dialect: Placeholders;
  readonly #compiled = new Map<string, CompiledQuery<object>>();

  private constructor(dialect: Placeholders) {
    this.#dialect = dialect;
  }

  /** Returns the statements of a table, which all transactions share. */
  static of(dialect: Placeholders, table: string): Statements {
    const tables = statements.get(dialect) ?? new Map<string, Statements>();
    statements.set(dialect, tables);
    const known = tables.get(table) ?? new Statements(dialect);
    tables.set(table, known);
    return known;
  }

  /** Returns the statement with a name. Its text has `?` for each value, and is needed the first time. */
  compile(name: string, text: () => string): CompiledQuery<object> {
    const known = this.#compiled.get(name);
    if (known !== undefined) return known;
    let count = 0;
    const numbered = text().replaceAll('?', () => this.#dialect.placeholder(++count));
    // The rows are objects; `decode` reads their columns.
    const compiled = CompiledQuery.raw(numbered) as CompiledQuery<object>;
    this.#compiled.set(name, compiled);
    return compiled;
  }
}
