import { UserError } from 'holdpoint';
import type { PostgresPool as KyselyPool, PostgresPoolClient } from 'kysely';
import type { ReportError } from '../../errors/report-error.ts';
import { kindOf } from '../../model/check-keys.ts';
import { hashOf } from '../../model/hash.ts';
import { cannotConnect, isBroken, storeError } from './postgres-errors.ts';

/** The part of a `Pool` of the package `pg` that the store uses. */
export interface PostgresPool {
  readonly options: { readonly max?: number | undefined };
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
}

/** A connection of a pool. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresResult>;
  on(event: 'error' | 'end' | 'notification', listener: (about: never) => void): unknown;
  /** Returns the connection to the pool, or closes it if it is broken. */
  release(isBroken?: boolean): void;
}

/** A statement. A connection parses each name once. */
export interface PostgresStatement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values?: unknown[] | undefined;
  /**
   * Converts the columns of the result, without the converters that the application has set for the
   * driver.
   */
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown } | undefined;
}

/** The result of a statement. */
export interface PostgresResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

/** Throws unless a value is a pool. */
export function requirePool(owner: string, pool: PostgresPool): void {
  // Programs without types may pass any value.
  const given: unknown = pool;
  if (typeof given === 'object' && given !== null && 'connect' in given && 'options' in given) {
    return;
  }
  throw new UserError(
    `The \`pool\` of ${owner} is ${kindOf(given)}. Pass a \`Pool\` of the package \`pg\`.`,
  );
}

/**
 * Adapts a pool to Kysely. Errors become errors of the desk, and broken connections are closed, also if the server does
 * not respond to a statement within `deadlineMs`.
 */
export function asKyselyPool(pool: PostgresPool, deadlineMs?: number): KyselyPool {
  return {
    options: pool.options,
    async connect() {
      // Kysely uses the other members only for cursors.
      return new Connection(await connectTo(pool), deadlineMs) as unknown as PostgresPoolClient;
    },
    // The application owns the pool and ends it.
    end: async () => {},
  };
}

/**
 * Handles the `error` events of a pool and its connections, which would otherwise end the process. A lost
 * connection emits one in addition to the error of the statement, even after the store was closed.
 */
export function handlePoolErrors(pool: PostgresPool, report: ReportError): void {
  if (handled.has(pool)) return;
  handled.add(pool);
  pool.on('error', (error) => report(error));
  pool.on('acquire', (client) => {
    if (!handled.has(client)) client.on('error', () => {});
    handled.add(client);
  });
}

const handled = new WeakSet<PostgresPool | PostgresClient>();

/** Returns a pool whose statements have no names, so that they need nothing of a session. */
export function withoutStatementNames(pool: PostgresPool): PostgresPool {
  return {
    options: pool.options,
    on: pool.on.bind(pool),
    async connect() {
      const client = await pool.connect();
      return {
        query: ({ name: _name, ...statement }) => client.query(statement),
        on: client.on.bind(client),
        release: client.release.bind(client),
      };
    },
  };
}

/** Takes a connection from the pool. */
export function connectTo(pool: PostgresPool): Promise<PostgresClient> {
  return pool.connect().catch((error: unknown) => {
    throw cannotConnect(error);
  });
}

/** Executes one statement in its own transaction. */
export async function queryOnce(
  pool: PostgresPool,
  text: string,
  values: readonly unknown[],
  deadlineMs: number,
): Promise<PostgresResult> {
  const connection = new Connection(await connectTo(pool), deadlineMs);
  try {
    return await connection.query(text, values);
  } finally {
    connection.release();
  }
}

/** The ids of types in PostgreSQL. */
const BOOLEAN = 16;
const BIGINT = 20;

/** All other columns, JSON included, stay texts. */
const TYPES = {
  getTypeParser(oid: number): (text: string) => unknown {
    if (oid === BIGINT) return Number;
    if (oid === BOOLEAN) return (text) => text === 't';
    return (text) => text;
  },
};

/** The part of a connection that Kysely uses. */
class Connection {
  readonly #client: PostgresClient;
  #isBroken = false;

  readonly #deadlineMs: number | undefined;

  constructor(client: PostgresClient, deadlineMs: number | undefined) {
    this.#client = client;
    this.#deadlineMs = deadlineMs;
  }

  async query(text: string, values: readonly unknown[]): Promise<PostgresResult> {
    // A text with several statements can have neither values nor a name.
    const statement =
      values.length === 0
        ? { text, types: TYPES }
        : { name: nameOf(text), text, values: [...values], types: TYPES };
    try {
      return await withinDeadline(this.#client.query(statement), this.#deadlineMs);
    } catch (error) {
      this.#isBroken ||= isBroken(error);
      throw storeError(error);
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }
}

/** Rejects if the server has not responded in time. The connection is then unusable, because a response may follow. */
async function withinDeadline<Result>(
  response: Promise<Result>,
  deadlineMs: number | undefined,
): Promise<Result> {
  if (deadlineMs === undefined) return response;
  // The rejection of a connection that was closed has no other handler.
  response.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The server has not responded to a statement for ${deadlineMs} ms.`));
    }, deadlineMs);
  });
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The names of statements by their texts. The number of different texts is small. */
const names = new Map<string, string>();

/** Returns a name that depends only on the text, because the application may use the connection, too. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `holdpoint_${hashOf('holdpoint/statement/1', text).slice(0, 32)}`;
  names.set(text, name);
  return name;
}
