import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { UserError } from 'holdpoint';
import { Kysely, type RawBuilder, sql, type SqlBool, SqliteDialect } from 'kysely';
import { DeskError } from '../../errors/desk-error.ts';
import { checkOptions, checkSwitch, type KeysOf, kindOf } from '../../model/check-keys.ts';
import type { Database, Db } from '../sql/database.ts';
import { migrate, migrationsFor } from '../sql/migrations.ts';
import { readSchemaStatus, requireCurrentSchema } from '../sql/schema-status.ts';
import type { SqlContext, SqlDialect } from '../sql/sql-table.ts';
import { SqlTx } from '../sql/sql-tx.ts';
import { requireMilliseconds } from '../require-milliseconds.ts';
import type { ReadTx, Store, Tx, TxOptions } from '../store.ts';
import { type ChangeListener, ChangeListeners } from '../store-change.ts';
import { DatabaseFile } from './database-file.ts';
import { GroupCommit } from './group-commit.ts';
import { KnownTransactions, type Written } from './known-transactions.ts';
import { asSqliteDatabase, loadSqlite, openError } from './node-sqlite.ts';
import { schemaOptions } from './sqlite-schema.ts';

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * The path of the database file, which is created if it is missing. While the store is open, SQLite keeps
   * two more files beside it. Without a path the database is in memory: it ends with the store.
   */
  readonly path?: string | undefined;
  /** The time to wait for another process that writes, in milliseconds; 10 seconds by default. */
  readonly busyTimeout?: number | undefined;
  /**
   * False to open the store without migrations. Opening then fails if the tables are too old. By
   * default, opening updates them.
   */
  readonly migrate?: boolean | undefined;
  /** The clock, in milliseconds since 1970; the clock of the machine by default. For tests. */
  readonly now?: (() => number) | undefined;
}

/**
 * Opens a store in an SQLite file, for any number of processes on one machine, or a store in memory for tests.
 *
 * An acknowledged write is on disk (write-ahead log, full synchronisation). One transaction writes at a time; writes
 * of a process that wait for it share the next one.
 *
 * @example
 * const store = await sqliteStore({ path: 'desk.sqlite' })
 * const testStore = await sqliteStore() // in memory
 */
export async function sqliteStore(options: SqliteStoreOptions = {}): Promise<Store> {
  checkOptions<SqliteStoreOptions>('`sqliteStore`', options, OPTIONS);
  const { path = IN_MEMORY } = options;
  if (typeof path !== 'string' || path === '') {
    throw new UserError(
      `The \`path\` of \`sqliteStore\` is ${path === '' ? 'empty' : kindOf(path)}. ` +
        'Pass the path of a file, or omit it for a database in memory.',
    );
  }
  const sqlite = await loadSqlite();
  try {
    const store = new SqliteStore({ ...options, path }, sqlite);
    await store.prepare(checkSwitch('migrate', options.migrate ?? true));
    return store;
  } catch (error) {
    throw openError(path, error);
  }
}

const OPTIONS: KeysOf<SqliteStoreOptions> = {
  path: true,
  busyTimeout: true,
  migrate: true,
  now: true,
};

const IN_MEMORY = ':memory:';
/** The time that SQLite itself waits for a lock. This wait blocks the process. */
const BLOCKING_MS = 20;
/** The longest pause between two attempts to begin a transaction. */
const MAX_PAUSE_MS = 20;
const BUSY_TIMEOUT_MS = 10_000;

/** One transaction writes at a time, so the sequence of events is the order of their commits. */
const DIALECT: Omit<SqlDialect, 'now'> = {
  forUpdate: '',
  placeholder: () => '?',
  skipLocked: sql``,
  transactionId: '0',
  nextSequence: '(select coalesce(max(sequence), 0) + 1 from desk_outbox)',
  oldestTransaction: undefined,
  idsWithWords: (tenant, { indexed, verified }, max) =>
    // The order of a cross join is that of its tables.
    sql`select h.id from desk_hold_words as w cross join desk_holds as h on h.rowid = w.rowid
      where w.search_words match ${matchOf(indexed)} and ${hasWords('h', verified)}
        and h.tenant = ${tenant} limit ${max}`,
  hasWords: (words) => hasWords('desk_holds', words),
  holdsWithIds: (tenant, ids) =>
    sql`(select * from desk_holds indexed by sqlite_autoindex_desk_holds_1
      where tenant = ${tenant} and id in (${ids}))`,
};

function hasWords(table: string, words: readonly string[]): RawBuilder<SqlBool> {
  const column = sql.ref(`${table}.search_words`);
  const conditions = words.map((word) => sql`instr(' ' || ${column}, ${` ${word}`}) > 0`);
  return sql`(${sql.join([sql`true`, ...conditions], sql` and `)})`;
}

/** Words are letters and digits, so they need no escape. */
function matchOf(words: readonly string[]): string {
  return words.map((word) => `"${word}"*`).join(' ');
}

class SqliteStore implements Store {
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #file: DatabaseFile;
  #isClosed = false;
  readonly #listeners = new ChangeListeners();
  readonly #dialect: SqlDialect;
  readonly #now: () => number;
  readonly #busyTimeout: number;
  readonly #writes: GroupCommit;
  readonly #known = new KnownTransactions();

  constructor(
    options: SqliteStoreOptions & { readonly path: string },
    sqlite: typeof DatabaseSync,
  ) {
    const { path, now = Date.now, busyTimeout = BUSY_TIMEOUT_MS } = options;
    this.#now = now;
    this.#dialect = { ...DIALECT, now };
    this.#busyTimeout = requireMilliseconds('busyTimeout', busyTimeout);
    const connect = () => new Connection(new sqlite(path, { timeout: BLOCKING_MS }));
    this.#writer = connect();
    // A second connection to `:memory:` would open another database.
    this.#reader = path === IN_MEMORY ? this.#writer : connect();
    this.#file = new DatabaseFile(path);
    this.#writes = new GroupCommit({
      savepoints: this.#writer,
      transact: (work) => this.#commitGroup(work),
    });
  }

  /** Creates or updates the tables; closes the store if that fails. */
  async prepare(mayMigrate: boolean): Promise<void> {
    try {
      await this.#transact(this.#writer, 'begin immediate', async (db) => {
        const options = schemaOptions(this.#now());
        if (mayMigrate) await migrate(db, options);
        const known = Object.keys(migrationsFor(options));
        requireCurrentSchema(await readSchemaStatus(db, known, options.hasTable));
      });
      // Savepoints copy the pages that they change. A migration may need more memory than there is.
      this.#writer.execute('pragma temp_store = memory');
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async write<Result>(
    work: (tx: Tx) => Promise<Result>,
    { about }: TxOptions = {},
  ): Promise<Result> {
    const { result } = await this.#writes.add(
      () => this.#execute(work, about),
      ({ change }) => {
        if (change !== undefined) this.#listeners.notify(change);
      },
    );
    return result;
  }

  async read<Result>(
    work: (tx: ReadTx) => Promise<Result>,
    { about }: TxOptions = {},
  ): Promise<Result> {
    const reader = this.#reader;
    if (about === undefined || about === 'tasks') {
      return this.#transact(reader, 'begin', () => this.#readWith(reader, work));
    }
    const known = await this.#known.read(about, this.#now(), work);
    if (known !== undefined) return known.result;
    // The connection that writes has the pages of the run in memory. Each commit empties the memory of the other one.
    return this.#writes.add(
      () => this.#readWith(this.#writer, work),
      () => {},
    );
  }

  onDue(listener: ChangeListener): () => void {
    return this.#listeners.add(listener);
  }

  async markRestoredFromBackup(time: number): Promise<void> {
    await this.#transact(this.#writer, 'begin immediate', () =>
      this.#newTx(this.#writer).markRestoredFromBackup(time),
    );
    this.#known.clear();
  }

  async close(): Promise<void> {
    await this.#writes.settle();
    this.#isClosed = true;
    await this.#reader.close();
    await this.#writer.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Executes a write with the transaction of its group. */
  async #execute<Result>(
    work: (tx: Tx) => Promise<Result>,
    about: TxOptions['about'],
  ): Promise<Written<Result>> {
    if (about !== undefined && about !== 'tasks') {
      const written = await this.#known.write(about, work, this.#newTx(this.#writer));
      if (written !== undefined) return written;
      await this.#known.forget(about, this.#newTx(this.#writer));
    }
    const tx = this.#newTx(this.#writer);
    const result = await work(tx);
    if (about === undefined) this.#known.clear();
    for (const claim of tx.tasks.claimed) await this.#known.readClaimed(claim, tx);
    return { result, change: tx.changes.change };
  }

  #newTx({ db, query }: Connection): SqlTx {
    return new SqlTx({ db, dialect: this.#dialect, execute: query });
  }

  async #commitGroup(work: () => Promise<void>): Promise<void> {
    const writer = this.#writer;
    try {
      await this.#transact(writer, 'begin immediate', async () => {
        this.#known.begin(writer.dataVersion);
        await work();
      });
      this.#known.end(true);
    } catch (error) {
      this.#known.end(false);
      throw error;
    }
  }

  #transact<Result>(
    connection: Connection,
    begin: string,
    work: (db: Db) => Promise<Result>,
  ): Promise<Result> {
    return connection.inTurn(async () => {
      if (this.#isClosed) throw new UserError('This SQLite store is closed. Open another one.');
      this.#file.requireSame();
      await this.#begin(connection, begin);
      let result: Result;
      try {
        result = await work(connection.db);
        connection.execute('commit');
      } catch (error) {
        connection.rollBack();
        throw error;
      }
      // A transaction is not acknowledged if its file was removed since it began.
      this.#file.requireSame();
      return result;
    });
  }

  async #readWith<Result>(
    connection: Connection,
    work: (tx: ReadTx) => Promise<Result>,
  ): Promise<Result> {
    connection.execute('pragma query_only = on');
    try {
      return await work(this.#newTx(connection));
    } finally {
      connection.execute('pragma query_only = off');
    }
  }

  /** Retries while another process writes. A wait inside SQLite would block this process. */
  async #begin(connection: Connection, begin: string): Promise<void> {
    const deadline = Date.now() + this.#busyTimeout;
    for (;;) {
      try {
        return connection.execute(begin);
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (Date.now() > deadline) throw storeBusy(this.#busyTimeout, error);
      }
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/** A connection to the database, for one transaction at a time. */
class Connection {
  readonly db: Db;
  /** Executes a statement that is compiled already. */
  readonly query: SqlContext['execute'];
  readonly #database: DatabaseSync;
  #dataVersion: StatementSync | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: DatabaseSync) {
    this.#database = database;
    const sqlite = asSqliteDatabase(database);
    const dialect = new SqliteDialect({ database: sqlite });
    this.query = async ({ sql: text, parameters }) => {
      const statement = sqlite.prepare(text);
      if (statement.reader) return { rows: statement.all(parameters) as object[] };
      return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
    };
    this.db = new Kysely<Database>({ dialect });
    this.execute('pragma synchronous = full');
    this.execute('pragma foreign_keys = on');
    // The journal mode is stored in the file, and a process that opens it now may be changing it, too.
    this.execute(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.execute('pragma journal_mode = wal');
    this.execute(`pragma busy_timeout = ${BLOCKING_MS}`);
  }

  /** Executes the callback after the callbacks of earlier calls, including failed ones. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  execute(statement: string): void {
    this.#database.exec(statement);
  }

  /** A number that changes if another connection has written since this one read it. */
  get dataVersion(): unknown {
    this.#dataVersion ??= this.#database.prepare('pragma data_version');
    return this.#dataVersion.get()?.['data_version'];
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  rollBack(): void {
    // Some errors have ended the transaction already.
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }

  close(): Promise<void> {
    return this.inTurn(async () => {
      if (this.#database.isOpen) this.#database.close();
    });
  }
}

/** `SQLITE_BUSY` and `SQLITE_LOCKED`, in the last 8 bits of an extended result code. */
const BUSY_CODES: readonly number[] = [5, 6];

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return BUSY_CODES.includes(Number(error.errcode) & 0xff);
}

function storeBusy(ms: number, cause: unknown): DeskError {
  return new DeskError(
    'store-busy',
    `Other processes have been writing to the database for ${ms} ms, so nothing was changed. Try again. If ` +
      'it happens often, use PostgreSQL, or check for a process that was stopped during a transaction.',
    { cause },
  );
}
