import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from 'holdpoint';
import { Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import { DeskError } from '../../errors/desk-error.ts';
import { checkLogger, type Logger } from '../../errors/logger.ts';
import { type OnError, reporterOf } from '../../errors/report-error.ts';
import { checkOptions, checkSwitch, type KeysOf } from '../../model/check-keys.ts';
import type { Database, Db } from '../sql/database.ts';
import { migrate, migrationsFor } from '../sql/migrations.ts';
import { readSchemaStatus, requireCurrentSchema } from '../sql/schema-status.ts';
import type { SqlDialect } from '../sql/sql-table.ts';
import { SqlTx } from '../sql/sql-tx.ts';
import { requireMilliseconds } from '../require-milliseconds.ts';
import type { ReadTx, Store, Tx, TxOptions } from '../store.ts';
import { type ChangeListener, ChangeListeners } from '../store-change.ts';
import { ChangeChannel } from './change-channel.ts';
import { type Committed, OptimisticTransactions } from './optimistic-transactions.ts';
import { estimatedClock, type StoreClock } from './store-clock.ts';
import { isConflict, outcomeUnknown, tooManyConflicts } from './postgres-errors.ts';
import {
  asKyselyPool,
  handlePoolErrors,
  type PostgresPool,
  requirePool,
  withoutStatementNames,
} from './postgres-pool.ts';
import {
  DeskDialect,
  lockMigrations,
  NO_STATEMENT_TIMEOUT,
  POSTGRES_NOW,
  readColumnTypes,
  schemaOptions,
} from './postgres-schema.ts';

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /**
   * A `Pool` of the package `pg` with at least 2 connections, because a worker listens on one of them. The
   * store does not end the pool. The tables are in the first schema of its search path.
   */
  readonly pool: PostgresPool;
  /**
   * The time to wait for a lock, in milliseconds; 10 seconds by default. The database also ends a transaction
   * that is idle for longer.
   */
  readonly busyTimeout?: number | undefined;
  /**
   * The time that a statement may take, in milliseconds; 30 seconds by default. The database ends a longer statement of
   * a transaction with several. The store closes the connection of any statement that gets no response a second later.
   * Migrations have no limit.
   */
  readonly statementTimeout?: number | undefined;
  /**
   * False to open the store without migrations. Opening then fails if the tables are too old, and
   * `holdpoint migrate` updates them. By default, opening creates and updates the tables, which
   * needs the rights of their owner.
   */
  readonly migrate?: boolean | undefined;
  /**
   * False for a pooler in transaction mode without support for prepared statements, such as
   * PgBouncer before 1.21. Statements then have no names, and the database parses each statement
   * every time. True by default.
   */
  readonly preparedStatements?: boolean | undefined;
  /** Receives log lines about connections that failed; by default they are JSON on standard error. */
  readonly logger?: Logger | undefined;
  /**
   * Receives errors of idle connections and of the connection that listens, instead of the log unless `logger` is
   * given, too. The pool replaces such connections.
   */
  readonly onError?: OnError | undefined;
}

/**
 * Opens a store in a PostgreSQL database, for any number of processes on any number of machines.
 *
 * @example
 * import { Pool } from 'pg'
 *
 * const store = await postgresStore({ pool: new Pool({ connectionString }) })
 */
export function postgresStore(options: PostgresStoreOptions): Promise<Store> {
  return openPostgresStore(options, estimatedClock());
}

/** Opens a store with a custom clock. */
export async function openPostgresStore(
  options: PostgresStoreOptions,
  clock: StoreClock,
): Promise<Store> {
  checkOptions<PostgresStoreOptions>('`postgresStore`', options, OPTIONS);
  const store = new PostgresStore(options, clock);
  try {
    await store.prepare(checkSwitch('migrate', options.migrate ?? true));
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

const OPTIONS: KeysOf<PostgresStoreOptions> = {
  pool: true,
  busyTimeout: true,
  statementTimeout: true,
  migrate: true,
  preparedStatements: true,
  logger: true,
  onError: true,
};

const BUSY_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * The time between the server's limit for a statement and the end of the connection by the store.
 */
const RESPONSE_GRACE_MS = 1_000;
const MAX_ATTEMPTS = 10;
/** The longest pause after the first conflict; it grows with each attempt. */
const MAX_PAUSE_MS = 20;

const DIALECT: SqlDialect = {
  forUpdate: 'for update',
  placeholder: (number) => `$${number}`,
  skipLocked: sql`for update skip locked`,
  now: POSTGRES_NOW,
  transactionId: 'pg_current_xact_id()::text::bigint',
  nextSequence: `nextval('desk_outbox_sequence')`,
  oldestTransaction: sql`(select pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`,
  idsWithWords: (tenant, { indexed, verified }, max) =>
    sql`select id from desk_holds where tenant = ${tenant} and search_vector @@ ${queryOf(indexed)}
      and ${hasWords(verified)} limit ${max}`,
  hasWords,
  holdsWithIds: (tenant, ids) =>
    sql`(select * from desk_holds where tenant = ${tenant} and id = any(array(${ids})))`,
};

/** The planner estimates that few holds have a word with some beginning, and that half of them fulfil a `case`. */
function hasWords(words: readonly string[]): RawBuilder<SqlBool> {
  if (words.length === 0) return sql`true`;
  return sql`case when search_vector @@ ${queryOf(words)} then true else false end`;
}

/** Words are letters and digits, so they need no escape. */
function queryOf(words: readonly string[]): RawBuilder<unknown> {
  return sql`${words.map((word) => `'${word}':*`).join(' & ')}::tsquery`;
}

function newTx(db: Db): SqlTx {
  return new SqlTx({ db, dialect: DIALECT, execute: (statement) => db.executeQuery(statement) });
}

class PostgresStore implements Store {
  readonly #db: Db;
  /** Statements of migrations have no limit. */
  readonly #migrationDb: Db;
  readonly #listeners = new ChangeListeners();
  readonly #channel: ChangeChannel;
  readonly #beginMigration: string;
  #beginWrite: string;
  readonly #beginRead: string;
  readonly #optimistic: OptimisticTransactions;
  /** True if each statement is on disk when the database confirms it. */
  #isDurable = true;

  constructor(
    { busyTimeout = BUSY_TIMEOUT_MS, logger, onError, ...options }: PostgresStoreOptions,
    clock: StoreClock,
  ) {
    const { statementTimeout = STATEMENT_TIMEOUT_MS } = options;
    requireTwoConnections(options.pool);
    const isNamed = checkSwitch('preparedStatements', options.preparedStatements ?? true);
    const pool = isNamed ? options.pool : withoutStatementNames(options.pool);
    checkLogger(logger);
    const report = reporterOf({ logger, onError }).onError;
    const lock = requireMilliseconds('busyTimeout', busyTimeout);
    const statement = requireMilliseconds('statementTimeout', statementTimeout);
    const response = statement + RESPONSE_GRACE_MS;
    const connect = (deadline?: number) =>
      new Kysely<Database>({ dialect: new DeskDialect({ pool: asKyselyPool(pool, deadline) }) });
    this.#db = connect(response);
    this.#migrationDb = connect();
    const reader = newTx(this.#db);
    this.#optimistic = new OptimisticTransactions({
      pool,
      reader,
      clock,
      timeouts: { lock, response },
    });
    this.#channel = new ChangeChannel(pool, this.#listeners, report);
    const locks = `set local lock_timeout = ${lock}`;
    const limits = `${locks}; set local idle_in_transaction_session_timeout = ${lock}; set local statement_timeout = ${statement}`;
    this.#beginMigration = `begin; ${locks}; ${NO_STATEMENT_TIMEOUT}`;
    this.#beginWrite = `begin isolation level read committed; ${limits}`;
    this.#beginRead = `begin isolation level repeatable read, read only; ${limits}`;
    handlePoolErrors(options.pool, report);
  }

  /** Creates or updates the tables. One process at a time does; the others wait up to `busyTimeout`. */
  async prepare(mayMigrate: boolean): Promise<void> {
    await this.#optimistic.readClock();
    const begin = mayMigrate ? this.#beginMigration : this.#beginWrite;
    const prepare = async (db: Db) => {
      if (mayMigrate) await lockMigrations(db);
      const options = await schemaOptions(db);
      if (mayMigrate) await migrate(db, options);
      const known = Object.keys(migrationsFor(options));
      requireCurrentSchema(await readSchemaStatus(db, known, options.hasTable));
      await adoptEvents(db);
      this.#optimistic.setColumnTypes(await readColumnTypes(db));
      // An acknowledged write must be on disk, also in a database with weaker settings.
      if (options.synchronousCommit === 'off') {
        this.#beginWrite += '; set local synchronous_commit = on';
        this.#isDurable = false;
      }
    };
    await this.#transact(begin, prepare, mayMigrate ? this.#migrationDb : this.#db);
  }

  async write<Result>(
    work: (tx: Tx) => Promise<Result>,
    { about }: TxOptions = {},
  ): Promise<Result> {
    const { result, change } = await this.#write(work, about);
    if (change !== undefined) {
      this.#listeners.notify(change);
      this.#channel.notify(change);
    }
    return result;
  }

  async read<Result>(
    work: (tx: ReadTx) => Promise<Result>,
    { about }: TxOptions = {},
  ): Promise<Result> {
    const isKnown = about !== undefined && about !== 'tasks';
    const known = isKnown ? await this.#optimistic.read(about, work) : undefined;
    if (known !== undefined) return known.result;
    return this.#transact(this.#beginRead, (db) => work(newTx(db)));
  }

  onDue(listener: ChangeListener): () => void {
    this.#channel.listen();
    return this.#listeners.add(listener);
  }

  markRestoredFromBackup(time: number): Promise<void> {
    return this.#transact(this.#beginWrite, (db) => newTx(db).markRestoredFromBackup(time));
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #write<Result>(
    work: (tx: Tx) => Promise<Result>,
    about: TxOptions['about'],
  ): Promise<Committed<Result>> {
    const withLocks = () =>
      this.#transact(this.#beginWrite, async (db) => {
        const tx = newTx(db);
        return { result: await work(tx), change: tx.changes.change };
      });
    if (about === undefined || !this.#isDurable) return withLocks();
    return about === 'tasks'
      ? this.#optimistic.claim(work, withLocks)
      : this.#optimistic.write(about, work, withLocks);
  }

  /** Executes the callback in a transaction, and again after a conflict with another transaction. */
  async #transact<Result>(
    begin: string,
    work: (db: Db) => Promise<Result>,
    database: Db = this.#db,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.connection().execute((db) => transact(db, begin, work));
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (attempt === MAX_ATTEMPTS) throw tooManyConflicts(error);
      }
      await sleep(Math.random() * MAX_PAUSE_MS * attempt);
    }
  }
}

/**
 * Puts the events of a database that was copied to another server, for example with a dump, before all new
 * ones. The transaction ids of the new server start lower.
 */
async function adoptEvents(db: Db): Promise<void> {
  const { rows } = await sql<{ is_foreign: boolean }>`select
    transaction_id >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint as is_foreign
    from desk_outbox order by sequence desc limit 1`.execute(db);
  if (rows[0]?.is_foreign !== true) return;
  await db.updateTable('desk_outbox').set({ transaction_id: 0 }).execute();
}

async function transact<Result>(
  db: Db,
  begin: string,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  await sql.raw(begin).execute(db);
  let result: Result;
  try {
    result = await work(db);
  } catch (error) {
    // If the rollback fails, the pool closes the connection, which also rolls back.
    await sql`rollback`.execute(db).catch(() => {});
    throw error;
  }
  await commit(db);
  return result;
}

async function commit(db: Db): Promise<void> {
  const { rows } = await sql<{ command: string }>`commit`.execute(db).catch((error: unknown) => {
    throw error instanceof DeskError ? outcomeUnknown(error.cause) : error;
  });
  if (rows[0]?.command === 'COMMIT') return;
  throw new Error('A statement of the transaction failed, so PostgreSQL rolled it back.');
}

function requireTwoConnections(pool: PostgresPool): void {
  requirePool('`postgresStore`', pool);
  if ((pool.options.max ?? 2) >= 2) return;
  throw new UserError(
    `The pool has \`max\` ${pool.options.max}. Set \`max\` to at least 2, because one connection listens for changes.`,
  );
}
