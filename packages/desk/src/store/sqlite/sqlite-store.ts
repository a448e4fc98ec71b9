import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync } from 'node:sqlite';
import { UserError } from 'holdpoint';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { DeskError } from '../../errors/desk-error.ts';
import { checkOptions, type KeysOf } from '../../model/check-keys.ts';
import { type ChangeListener, DueListeners } from '../due-listeners.ts';
import type { Database, Flavour } from '../kysely/kysely-table.ts';
import { KyselyTx } from '../kysely/kysely-tx.ts';
import { migrate } from '../kysely/migrate.ts';
import { Mutex } from '../mutex.ts';
import type { ReadTx, Store, Tx } from '../store.ts';
import { DatabaseFile } from './database-file.ts';
import { loadSqlite, openError } from './open-error.ts';
import type { StoreChange } from '../store-change.ts';
import { asSqliteDatabase } from './node-sqlite.ts';

/** Where a store in SQLite is. */
export interface SqliteStoreOptions {
  /** The file; it is made if it is not there. Beside it lie two more while it is in use. */
  readonly path: string;
  /** How long to wait for others who write, in milliseconds; 10 seconds unless given. */
  readonly busyTimeout?: number | undefined;
  /** The clock, in milliseconds since 1970; that of the machine unless said otherwise. For tests. */
  readonly now?: (() => number) | undefined;
}

/**
 * Opens a store in a file, for any number of processes on one machine.
 *
 * What was acknowledged is on disk (write-ahead log, full synchronisation). One transaction writes at a
 * time.
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  checkOptions<SqliteStoreOptions>('`sqliteStore`', options, OPTIONS);
  const { path } = options;
  if (typeof path !== 'string' || path === '') {
    throw new UserError('The `path` of `sqliteStore` is missing. Pass the path of a file.');
  }
  const store = openStore(options, await loadSqlite());
  try {
    await store.prepare();
  } catch (error) {
    await store.close();
    throw openError(options.path, error);
  }
  return store;
}

const OPTIONS: KeysOf<SqliteStoreOptions> = { path: true, busyTimeout: true, now: true };

/** The class of `node:sqlite`, which is loaded only if it is needed. */
type Sqlite = typeof DatabaseSync;

function openStore(options: SqliteStoreOptions, sqlite: Sqlite): SqliteStore {
  try {
    return new SqliteStore(options, sqlite);
  } catch (error) {
    throw openError(options.path, error);
  }
}

/** How long SQLite itself waits for others: the process does nothing else meanwhile. */
const BLOCKING_MS = 20;
/** How long to wait between two tries to begin, at most. */
const PAUSE_MS = 20;
const BUSY_TIMEOUT_MS = 10_000;

/** One transaction writes at a time, so the numbers of events are in the order of their commits. */
const FLAVOUR: Omit<Flavour, 'now'> = {
  forUpdate: sql``,
  skipLocked: sql``,
  transactionId: sql`0`,
  nextSequence: sql`(select coalesce(max(sequence), 0) + 1 from desk_outbox)`,
  oldestTransaction: undefined,
};

class SqliteStore implements Store {
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #file: DatabaseFile;
  readonly #due = new DueListeners();
  readonly #now: () => number;
  readonly #busyTimeout: number;

  constructor(
    { path, now = Date.now, busyTimeout = BUSY_TIMEOUT_MS }: SqliteStoreOptions,
    sqlite: Sqlite,
  ) {
    this.#now = now;
    this.#busyTimeout = busyTimeout;
    const flavour: Flavour = { ...FLAVOUR, now };
    this.#writer = new Connection(new sqlite(path, { timeout: BLOCKING_MS }), flavour);
    this.#reader = new Connection(new sqlite(path, { timeout: BLOCKING_MS }), flavour);
    this.#file = new DatabaseFile(path);
    this.#reader.execute('pragma query_only = on');
  }

  prepare(): Promise<void> {
    return this.#transact(this.#writer, 'begin immediate', async ({ db }) => {
      await migrate(db, this.#now(), 'sqlite');
    });
  }

  async write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    let change: StoreChange | undefined;
    const result = await this.#transact(this.#writer, 'begin immediate', async (connection) => {
      const tx = connection.transaction();
      const done = await work(tx);
      change = tx.changes.change;
      return done;
    });
    if (change !== undefined) this.#due.notify(change);
    return result;
  }

  read<Result>(work: (tx: ReadTx) => Promise<Result>): Promise<Result> {
    return this.#transact(this.#reader, 'begin', (connection) => work(connection.transaction()));
  }

  onDue(listener: ChangeListener): () => void {
    return this.#due.add(listener);
  }

  forgetBefore(time: number): Promise<void> {
    return this.#transact(this.#writer, 'begin immediate', (connection) =>
      connection.transaction().forgetBefore(time),
    );
  }

  async close(): Promise<void> {
    await this.#reader.close();
    await this.#writer.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #transact<Result>(
    connection: Connection,
    begin: string,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    return connection.mutex.run(async () => {
      this.#file.requireSame();
      await this.#begin(connection, begin);
      let result: Result;
      try {
        result = await work(connection);
        connection.execute('commit');
      } catch (error) {
        connection.rollBack();
        throw error;
      }
      // Nothing is acknowledged that went to a file which was removed meanwhile.
      this.#file.requireSame();
      return result;
    });
  }

  /** Another process may be writing. SQLite would wait for it and let nothing else happen here. */
  async #begin(connection: Connection, begin: string): Promise<void> {
    const deadline = Date.now() + this.#busyTimeout;
    for (;;) {
      try {
        return connection.execute(begin);
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (Date.now() > deadline) throw busyFor(this.#busyTimeout, error);
      }
      await sleep(Math.random() * PAUSE_MS);
    }
  }
}

/** A connection to the file, for one transaction at a time. */
class Connection {
  readonly mutex = new Mutex();
  readonly db: Database;
  readonly #database: DatabaseSync;
  readonly #flavour: Flavour;

  constructor(database: DatabaseSync, flavour: Flavour) {
    this.#database = database;
    this.#flavour = flavour;
    this.db = new Kysely<unknown>({
      dialect: new SqliteDialect({ database: asSqliteDatabase(this.#database) }),
    });
    this.#setUp();
  }

  execute(statement: string): void {
    this.#database.exec(statement);
  }

  transaction(): KyselyTx {
    return new KyselyTx(this.db, this.#flavour);
  }

  rollBack(): void {
    // Some errors have ended the transaction already.
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }

  close(): Promise<void> {
    return this.mutex.run(async () => {
      if (this.#database.isOpen) this.#database.close();
    });
  }

  #setUp(): void {
    this.execute('pragma synchronous = full');
    // It stays in the file. Whoever opens it at the same moment may be changing it, so SQLite is patient here.
    this.execute(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.execute('pragma journal_mode = wal');
    this.execute(`pragma busy_timeout = ${BLOCKING_MS}`);
  }
}

/** The result codes of SQLite for a lock that somebody else has; further ones have these in the last 8 bits. */
const BUSY_CODES: readonly number[] = [5, 6];

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return BUSY_CODES.includes(Number(error.errcode) & 0xff);
}

function busyFor(ms: number, cause: unknown): DeskError {
  return new DeskError(
    'store-busy',
    `Others have been writing to the database for ${ms} ms. Nothing was changed: try again. If it happens ` +
      'often, use PostgreSQL, or look for a process that was stopped in the middle of a transaction.',
    { cause },
  );
}
