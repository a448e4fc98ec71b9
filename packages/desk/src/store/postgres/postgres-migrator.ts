import { UserError } from 'holdpoint';
import { Kysely, sql } from 'kysely';
import { checkOptions, requireText, shownValue } from '../../model/check-keys.ts';
import type { Database, Db } from '../sql/database.ts';
import { type SchemaMigrator, schemaMigrator } from '../sql/schema-migrator.ts';
import { isConflict, tooManyConflicts } from './postgres-errors.ts';
import { asKyselyPool, type PostgresPool, requirePool } from './postgres-pool.ts';
import {
  DeskDialect,
  lockMigrations,
  NO_STATEMENT_TIMEOUT,
  schemaOptions,
} from './postgres-schema.ts';

/** Options of {@link postgresMigrator}. */
export interface PostgresMigratorOptions {
  /** A `Pool` of the package `pg`, of a role that owns the tables or may create them. It is not ended. */
  readonly pool: PostgresPool;
  /**
   * The time to wait for each lock, in milliseconds; 5 seconds by default. While a migration waits for the lock of a
   * table, all other transactions on that table wait behind it.
   */
  readonly lockTimeout?: number | undefined;
  /** A role that gets the rights of a process that serves or works: to read and write rows, not to change tables. */
  readonly appRole?: string | undefined;
}

const LOCK_TIMEOUT_MS = 5_000;

/**
 * Creates and updates the tables in a PostgreSQL database. Use it with the store's option `migrate: false`, so that
 * the processes of the desk need no right to change tables.
 */
export function postgresMigrator(options: PostgresMigratorOptions): SchemaMigrator {
  checkOptions<PostgresMigratorOptions>('`postgresMigrator`', options, {
    pool: true,
    lockTimeout: true,
    appRole: true,
  });
  const { pool, lockTimeout = LOCK_TIMEOUT_MS, appRole } = options;
  requirePool('`postgresMigrator`', pool);
  if (!Number.isSafeInteger(lockTimeout) || lockTimeout < 1) {
    throw new UserError(
      `\`lockTimeout\` is ${shownValue(lockTimeout)}. Pass a number of milliseconds above 0.`,
    );
  }
  if (appRole !== undefined) requireText('`appRole`', appRole);
  const dialect = new DeskDialect({ pool: asKyselyPool(pool) });
  const kysely = new Kysely<Database>({ dialect });
  const inTransaction = <Result>(work: (db: Db) => Promise<Result>): Promise<Result> =>
    kysely.connection().execute(async (db) => {
      await sql
        .raw(`begin; set local lock_timeout = ${lockTimeout}; ${NO_STATEMENT_TIMEOUT}`)
        .execute(db);
      try {
        const result = await work(db);
        await sql`commit`.execute(db);
        return result;
      } catch (error) {
        // If the rollback fails, the pool closes the connection, which also rolls back.
        await sql`rollback`.execute(db).catch(() => {});
        throw error;
      }
    });
  return schemaMigrator({
    dialect,
    statementsAfter: appRole === undefined ? [] : [grantTo(appRole)],
    optionsOf: schemaOptions,
    read: inTransaction,
    write: (work) =>
      repeatedAfterConflict(() =>
        inTransaction(async (db) => {
          await lockMigrations(db);
          return work(db);
        }),
      ),
  });
}

const MAX_ATTEMPTS = 5;

/** Processes of the desk lock the same tables in another order, so the database may end a migration as a deadlock. */
async function repeatedAfterConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === MAX_ATTEMPTS) throw tooManyConflicts(error);
    }
  }
}

/**
 * Returns a statement that grants a role the rights of a desk process, in the first schema of the
 * path.
 */
function grantTo(role: string): string {
  const quoted = literal(`"${role.replaceAll('"', '""')}"`);
  return `do $$ declare found record; begin
  execute format('grant usage on schema %I to %s', current_schema(), ${quoted});
  for found in select tablename from pg_tables
    where schemaname = current_schema() and tablename ~ '^desk_'
  loop
    execute format('grant select, insert, update, delete on %I to %s', found.tablename, ${quoted});
  end loop;
  execute format('grant usage on sequence desk_outbox_sequence to %s', ${quoted});
end $$`;
}

function literal(text: string): string {
  if (text.includes('$$')) throw new UserError(`The role ${text} contains \`$$\`. Rename it.`);
  return `'${text.replaceAll("'", "''")}'`;
}
