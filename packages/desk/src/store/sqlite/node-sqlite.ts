import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** `node:sqlite` as Kysely's SQLite dialect takes it; each statement is prepared once. */
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
  // Our statements have texts, numbers and nulls for parameters.
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
