/** The number of copies that one statement writes. */
const BATCH = 2_000;

/** Tables whose rows belong to no run. */
const SHARED = /^desk_(meta|migrations)/;

/** Returns true for tables whose rows belong to runs. */
export function isCopied(table) {
  // SQLite maintains the index of words itself.
  const isIndex = table.startsWith('desk_hold_words');
  return table.startsWith('desk_') && !isIndex && !SHARED.test(table);
}

/**
 * Returns the statements that copy all rows of the tables `count` times. The store must contain one parked run, so
 * the copies are parked runs as well. They cannot be resumed, because the keys of their ledger entries differ.
 *
 * The statements depend on the names of columns alone, so that they survive changes of the tables: ids get another
 * beginning, and copies are older than the original. `dialect` has `series(from, to)`, a row source with the column
 * `n`, and `idOf(column)`, an id that depends on the column and `n`.
 */
export function* copyStatements(tables, count, dialect) {
  for (const [table] of tables) {
    yield `create temporary table original_${table} as select * from ${table}`;
  }
  for (let from = 1; from <= count; from += BATCH) {
    const to = Math.min(from + BATCH - 1, count);
    for (const [table, columns] of tables) {
      const names = columns.map(({ name }) => `"${name}"`).join(', ');
      const values = columns.map((column) => valueOf(table, column, dialect)).join(', ');
      yield `insert into ${table} (${names}) select ${values}
        from original_${table}, ${dialect.series(from, to)}`;
    }
  }
}

function valueOf(table, { name, isText }, { idOf }) {
  const column = `"${name}"`;
  if (table === 'desk_entries' && name === 'key') return `${column} || '-' || n`;
  if (isText && (name === 'id' || name.endsWith('_id'))) return idOf(column);
  if (name === 'sequence') return `${column} + 1000 * n`;
  if (name === 'created_at') return `${column} - n`;
  return column;
}
