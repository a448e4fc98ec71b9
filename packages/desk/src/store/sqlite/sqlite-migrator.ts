import { existsSync } from 'node:fs';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { checkOptions } from '../../model/check-keys.ts';
import type { Database, Db } from '../sql/database.ts';
import { type SchemaMigrator, schemaMigrator } from '../sql/schema-migrator.ts';
import { asSqliteDatabase, loadSqlite, openError } from './node-sqlite.ts';
import { schemaOptions } from './sqlite-schema.ts';

/** Options of {@link sqliteMigrator}. */
export interface SqliteMigratorOptions {
  /** The path of the database file. `migrate` creates it if it is missing. */
  readonly path: string;
  /** The time to wait for another process that writes, in milliseconds; 5 seconds by default. */
  readonly lockTimeout?: number | undefined;
}

const LOCK_TIMEOUT_MS = 5_000;

/** Creates and updates the tables in an SQLite file. */
export function sqliteMigrator(options: SqliteMigratorOptions): SchemaMigrator {
  checkOptions<SqliteMigratorOptions>('`sqliteMigrator`', options, {
    path: true,
    lockTimeout: true,
  });
  const { path, lockTimeout: timeout = LOCK_TIMEOUT_MS } = options;
  const dialectFor = (mayCreate: boolean) =>
    new SqliteDialect({
      async database() {
        const sqlite = await loadSqlite();
        // A missing file counts as an empty database, and is not created to read it.
        const file = mayCreate || existsSync(path) ? path : ':memory:';
        return asSqliteDatabase(new sqlite(file, { timeout }));
      },
    });
  const inTransaction = async <Result>(
    begin: string,
    work: (db: Db) => Promise<Result>,
    mayCreate: boolean,
  ): Promise<Result> => {
    const kysely = new Kysely<Database>({ dialect: dialectFor(mayCreate) });
    try {
      return await kysely.connection().execute(async (db) => {
        await sql.raw(begin).execute(db);
        const result = await work(db);
        await sql`commit`.execute(db);
        return result;
      });
    } catch (error) {
      throw openError(path, error);
    } finally {
      // Closing the connection rolls back.
      await kysely.destroy();
    }
  };
  return schemaMigrator({
    dialect: dialectFor(false),
    statementsAfter: [],
    optionsOf: async () => schemaOptions(Date.now()),
    read: (work) => inTransaction('begin', work, false),
    write: (work) => inTransaction('begin immediate', work, true),
  });
}
