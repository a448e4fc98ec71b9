import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { UserError } from 'holdpoint';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Loads `node:sqlite`, which some runtimes lack. */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  try {
    return (await import('node:sqlite')).DatabaseSync;
  } catch (error) {
    throw new UserError(
      `\`sqliteStore\` needs the module \`node:sqlite\`, which this runtime (${process.version}) does not have. ` +
        'Use Node.js 22.18 or later, or use `postgresStore`.',
      { cause: error, code: 'missing-package' },
    );
  }
}

/** Adapts `node:sqlite` to Kysely's SQLite dialect. Each statement is prepared once. */
export function asSqliteDatabase(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = prepared.get(sql);
      if (statement === undefined) {
        statement = asSqliteStatement(database.prepare(sql));
        prepared.set(sql, statement);
      }
      return statement;
    },
  };
}

function asSqliteStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) =>
    // Parameters are texts, numbers, `null` and booleans, which SQLite does not have.
    parameters.map((one) => (typeof one === 'boolean' ? Number(one) : one) as SQLInputValue);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/** Advice by the result code of SQLite. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [8, 'Check that the process may write to the file and its folder.'],
  [10, 'Check the disk.'],
  [11, 'Restore the file from a backup.'],
  [13, 'The disk is full. Make room on it.'],
  [14, 'Check that its folder exists, and that the process may write to it.'],
  [23, 'Check that the process may write to the file.'],
  [26, 'Pass the path of a file that a desk has created, or of a new one.'],
]);

/** Returns an error that names the file. Errors of other code are returned unchanged. */
export function openError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const advice = ADVICE.get(Number(error.errcode) & 0xff) ?? 'Check the file.';
  return new UserError(
    `The SQLite file \`${path}\` cannot be opened: ${error.message}. ${advice}`,
    { cause: error },
  );
}
