import type { PostgresPool as KyselyPool, PostgresPoolClient } from 'kysely';
import type { ReportError } from '../../errors/report-error.ts';
import { hashOf } from '../../model/hash.ts';
import { cannotConnect, isBroken, storeError } from './postgres-errors.ts';

/** A pool of connections, as `new Pool(…)` of the `pg` package makes it. */
export interface PostgresPool {
  readonly options: { readonly max?: number | undefined };
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
}

/** A connection of such a pool. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresResult>;
  on(event: 'error' | 'end' | 'notification', listener: (about: never) => void): unknown;
  /** Gives it back; with `true` it is closed and not used again. */
  release(isBroken?: boolean): void;
}

/** A statement; a connection parses each name once. */
export interface PostgresStatement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values?: unknown[] | undefined;
}

/** What a statement gives. */
export interface PostgresResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

/** A pool as Kysely takes it: what goes wrong is said in our words, and broken connections are not used again. */
export function asKyselyPool(pool: PostgresPool): KyselyPool {
  return {
    options: pool.options,
    async connect() {
      // Kysely gives cursors only to whoever asks for them.
      return new Connection(await connectTo(pool)) as unknown as PostgresPoolClient;
    },
    // Whoever made the pool ends it.
    end: async () => {},
  };
}

/**
 * Has no error of a connection end the process. One that is lost says so twice: to whoever uses it, and as an
 * event that must not go unheard, also right after it was taken, and long after the store was closed.
 */
export function hearErrorsOf(pool: PostgresPool, report: ReportError): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  // The pool replaces it.
  pool.on('error', (error) => report(error));
  pool.on('acquire', (client) => {
    if (!heard.has(client)) client.on('error', () => {});
    heard.add(client);
  });
}

const heard = new WeakSet<PostgresPool | PostgresClient>();

/** A connection of the pool. */
export function connectTo(pool: PostgresPool): Promise<PostgresClient> {
  return pool.connect().catch((error: unknown) => {
    throw cannotConnect(error);
  });
}

/** What Kysely uses of a connection. */
class Connection {
  readonly #client: PostgresClient;
  #isBroken = false;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  async query(text: string, values: readonly unknown[]): Promise<PostgresResult> {
    try {
      // Several statements in one text have no values, and no name.
      if (values.length === 0) return await this.#client.query({ text });
      return await this.#client.query({ name: nameOf(text), text, values: [...values] });
    } catch (error) {
      this.#isBroken ||= isBroken(error);
      throw storeError(error);
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }
}

/** The names of statements, by their texts; of these there are not many. */
const names = new Map<string, string>();

/** The same for the same text, whoever else uses the connection. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `holdpoint_${hashOf('holdpoint/statement/1', text).slice(0, 32)}`;
  names.set(text, name);
  return name;
}
