import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from 'holdpoint';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { DeskError } from '../../errors/desk-error.ts';
import { checkOptions, type KeysOf, kindOf } from '../../model/check-keys.ts';
import { type OnError, reporterOf } from '../../errors/report-error.ts';
import { type ChangeListener, DueListeners } from '../due-listeners.ts';
import type { Database, Flavour } from '../kysely/kysely-table.ts';
import { KyselyTx } from '../kysely/kysely-tx.ts';
import { migrate } from '../kysely/migrate.ts';
import type { ReadTx, Store, Tx } from '../store.ts';
import { DueChannel } from './due-channel.ts';
import { isPassing, outcomeUnknown, triedTooOften } from './postgres-errors.ts';
import { asKyselyPool, hearErrorsOf, type PostgresPool } from './postgres-pool.ts';

/** Where a store in PostgreSQL is. */
export interface PostgresStoreOptions {
  /**
   * A `Pool` of the `pg` package, with 2 connections at least: while somebody works, one of them listens.
   * The store does not end it. The tables lie in the first schema of its search path.
   */
  readonly pool: PostgresPool;
  /**
   * How long to wait for others who have locked something, in milliseconds; 10 seconds unless given. A process
   * that stops for longer than that in the middle of a transaction has lost it.
   */
  readonly busyTimeout?: number | undefined;
  /**
   * Receives errors of idle connections and of the connection that listens; the pool replaces them. Without
   * it they are printed on standard error.
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
export async function postgresStore(options: PostgresStoreOptions): Promise<Store> {
  checkOptions<PostgresStoreOptions>('`postgresStore`', options, OPTIONS);
  const store = new PostgresStore(options);
  try {
    await store.prepare();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

const OPTIONS: KeysOf<PostgresStoreOptions> = {
  pool: true,
  busyTimeout: true,
  onError: true,
};

const BUSY_TIMEOUT_MS = 10_000;
/** How often a transaction is tried that others were in the way of. */
const MOST_TRIES = 10;
/** How long to wait before the next try, at most and for each try. */
const PAUSE_MS = 20;
/** For `pg_advisory_xact_lock`: any number that nobody else uses. */
const MIGRATION_LOCK = 4_716_501_923;

const FLAVOUR: Flavour = {
  forUpdate: sql`for update`,
  skipLocked: sql`for update skip locked`,
  // A sub-select is evaluated once, so an index can be searched for it.
  now: sql`(select floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`,
  transactionId: sql`pg_current_xact_id()::text::bigint`,
  nextSequence: sql`nextval('desk_outbox_sequence')`,
  oldestTransaction: sql`(select pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`,
};

class PostgresStore implements Store {
  readonly #db: Database;
  readonly #due = new DueListeners();
  readonly #channel: DueChannel;
  #beginWrite: string;
  readonly #beginRead: string;

  constructor({ pool, busyTimeout = BUSY_TIMEOUT_MS, onError }: PostgresStoreOptions) {
    requireTwoConnections(pool);
    const report = reporterOf(onError);
    this.#db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: asKyselyPool(pool) }) });
    this.#channel = new DueChannel(pool, this.#due, report);
    const limits = limitsOf(busyTimeout);
    this.#beginWrite = `begin isolation level read committed; ${limits}`;
    this.#beginRead = `begin isolation level repeatable read, read only; ${limits}`;
    hearErrorsOf(pool, report);
  }

  /** Whoever comes while another one changes the tables waits, as long as that takes. */
  prepare(): Promise<void> {
    return this.#transact('begin', async (db) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(db);
      await migrate(db, await new KyselyTx(db, FLAVOUR).now(), 'postgres');
      await adoptEvents(db);
      // What was acknowledged must be on disk, whatever others in this database are content with.
      const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(
        db,
      );
      if (rows[0]?.synchronous_commit === 'off') {
        this.#beginWrite += '; set local synchronous_commit = on';
      }
    });
  }

  async write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const { result, change } = await this.#transact(this.#beginWrite, async (db) => {
      const tx = new KyselyTx(db, FLAVOUR);
      return { result: await work(tx), change: tx.changes.change };
    });
    if (change !== undefined) {
      this.#due.notify(change);
      this.#channel.notify(change);
    }
    return result;
  }

  read<Result>(work: (tx: ReadTx) => Promise<Result>): Promise<Result> {
    return this.#transact(this.#beginRead, (db) => work(new KyselyTx(db, FLAVOUR)));
  }

  onDue(listener: ChangeListener): () => void {
    this.#channel.listen();
    return this.#due.add(listener);
  }

  forgetBefore(time: number): Promise<void> {
    return this.#transact(this.#beginWrite, (db) => new KyselyTx(db, FLAVOUR).forgetBefore(time));
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Does some work as one transaction, and again if others were in its way. */
  async #transact<Result>(begin: string, work: (db: Database) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#db.connection().execute((db) => transact(db, begin, work));
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (tries === MOST_TRIES) throw triedTooOften(error);
      }
      await sleep(Math.random() * PAUSE_MS * tries);
    }
  }
}

/**
 * Orders events of a database that was copied to another server, with a dump for example. There the ids of
 * transactions begin anew, and these events would come after all new ones.
 */
async function adoptEvents(db: Database): Promise<void> {
  const { rows } = await sql<{ is_foreign: boolean }>`select
    transaction_id >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint as is_foreign
    from desk_outbox order by sequence desc limit 1`.execute(db);
  if (rows[0]?.is_foreign === true)
    await sql`update desk_outbox set transaction_id = 0`.execute(db);
}

async function transact<Result>(
  db: Database,
  begin: string,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  await sql.raw(begin).execute(db);
  let result: Result;
  try {
    result = await work(db);
  } catch (error) {
    // A connection on which even that fails is closed, which comes to the same.
    await sql`rollback`.execute(db).catch(() => {});
    throw error;
  }
  await commit(db);
  return result;
}

async function commit(db: Database): Promise<void> {
  const { rows } = await sql<{ command: string }>`commit`.execute(db).catch((error: unknown) => {
    throw error instanceof DeskError ? outcomeUnknown(error.cause) : error;
  });
  if (rows[0]?.command === 'COMMIT') return;
  throw new Error('A statement of the transaction had failed, so nothing of it was written.');
}

/** For how long a transaction waits for others, and for how long it may keep others waiting. */
function limitsOf(busyTimeout: number): string {
  const ms = Math.ceil(busyTimeout);
  if (!(ms > 0 && Number.isSafeInteger(ms))) {
    throw new UserError(`busyTimeout is ${busyTimeout}; give a number of milliseconds above 0.`);
  }
  return `set local lock_timeout = ${ms}; set local idle_in_transaction_session_timeout = ${ms}`;
}

function requireTwoConnections(pool: PostgresPool): void {
  // Programs without types pass anything.
  const given: unknown = pool;
  if (typeof given !== 'object' || given === null || !('connect' in given && 'options' in given)) {
    throw new UserError(
      `The \`pool\` of \`postgresStore\` is ${kindOf(given)}. Pass a \`Pool\` of the package \`pg\`.`,
    );
  }
  const { options } = pool;
  if ((options.max ?? 2) >= 2) return;
  throw new UserError(
    'The pool has one connection only. Give it 2 at least: one of them listens for what becomes due.',
  );
}
