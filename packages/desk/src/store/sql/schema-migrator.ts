import { type Dialect, sql } from 'kysely';
import type { Db } from './database.ts';
import { migrationSql } from './migration-sql.ts';
import { migrate, type MigrateOptions, migrationsFor } from './migrations.ts';
import { readSchemaStatus, requireCompatible, type SchemaStatus } from './schema-status.ts';

/** Creates and updates the tables of a desk. */
export interface SchemaMigrator {
  /** Compares the tables with those that this version needs. It changes nothing. */
  status(): Promise<SchemaStatus>;
  /** Returns the statements that `migrate` would execute. It changes nothing. */
  pendingSql(): Promise<readonly string[]>;
  /** Creates or updates the tables, in one transaction. Returns the names of the migrations that it applied. */
  migrate(): Promise<readonly string[]>;
}

/** A database whose tables can be migrated. */
export interface MigratedDatabase {
  readonly dialect: Dialect;
  /** Executes the callback in a transaction that excludes other migrations. */
  write<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  read<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  optionsOf(db: Db): Promise<MigrateOptions>;
  /** Statements to execute after every migration. */
  readonly statementsAfter: readonly string[];
}

/** Creates the migrator of a database. */
export function schemaMigrator(database: MigratedDatabase): SchemaMigrator {
  const stateOf = async (db: Db) => {
    const options = await database.optionsOf(db);
    const migrations = migrationsFor(options);
    const status = await readSchemaStatus(db, Object.keys(migrations), options.hasTable);
    return { options, migrations, status };
  };
  return {
    status: () => database.read(async (db) => (await stateOf(db)).status),
    pendingSql: () =>
      database.read(async (db) => {
        const { migrations, status } = await stateOf(db);
        requireCompatible(status);
        const pending = status.pending.flatMap((name) => migrations[name] ?? []);
        return [...(await migrationSql(pending, database.dialect)), ...database.statementsAfter];
      }),
    migrate: () =>
      database.write(async (db) => {
        const { options, status } = await stateOf(db);
        await migrate(db, options);
        for (const one of database.statementsAfter) await sql.raw(one).execute(db);
        return status.pending;
      }),
  };
}
