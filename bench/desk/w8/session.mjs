import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { median } from '../../harness/summary.mjs';
import { openDelayedPort } from '../servers/delayed-port.mjs';
import { BenchPostgres } from '../servers/postgres-server.mjs';
import { CONTESTANTS } from './contestants/registry.mjs';

/** More connections than concurrent runs: a worker of the desk also listens on one. */
const EXTRA_CONNECTIONS = 4;
const ROUND_TRIPS = 50;

/** The servers and files of all contestants. Everything is on loopback and stops with `close`. */
export class Session {
  #postgres;
  #restate;
  #folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-w8-'));
  #ports = new Map();
  #databases = new Set();

  static async open() {
    const session = new Session();
    session.#postgres = await BenchPostgres.start();
    session.#ports.set(0, { port: session.#postgres.port, close() {} });
    return session;
  }

  /** Starts the Restate server. Throws if its package is missing. */
  async startRestate() {
    const { BenchRestate } = await import('../servers/restate-server.mjs');
    this.#restate = await BenchRestate.start();
  }

  /** Returns the arguments of a turn that depend on the store of the contestant. */
  async setupOf(contestant, { delayMs, concurrency }) {
    const { store } = CONTESTANTS[contestant];
    if (store === 'sqlite') return { folder: this.#folder };
    if (store === 'restate') {
      const { ingress, admin, pid } = this.#restate;
      return { ingress, admin, serverPid: pid };
    }
    return {
      url: await this.#urlOf(contestant, delayMs),
      connections: concurrency + EXTRA_CONNECTIONS,
      serverPid: this.#postgres.pid,
    };
  }

  /** Returns the time of a statement that does nothing, in milliseconds. */
  async roundTripMs(delayMs) {
    const client = new Client(await this.#urlOf('postgres', delayMs));
    await client.connect();
    const times = [];
    for (let index = 0; index < ROUND_TRIPS; index++) {
      const start = performance.now();
      await client.query('select 1');
      times.push(performance.now() - start);
    }
    await client.end();
    return median(times);
  }

  async versionOfPostgres() {
    const client = new Client(await this.#urlOf('postgres', 0));
    await client.connect();
    const { rows } = await client.query('show server_version');
    await client.end();
    return rows[0].server_version;
  }

  async close() {
    for (const { close } of this.#ports.values()) close();
    await this.#restate?.stop();
    await this.#postgres.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #urlOf(name, delayMs) {
    if (!this.#ports.has(delayMs)) {
      this.#ports.set(delayMs, await openDelayedPort(this.#postgres.port, delayMs));
    }
    const database = name.replaceAll('-', '_');
    if (database !== 'postgres' && !this.#databases.has(database)) {
      this.#databases.add(database);
      await this.#postgres.createDatabase(database);
    }
    return this.#postgres.urlOf(database, this.#ports.get(delayMs).port);
  }
}
