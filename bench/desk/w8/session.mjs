import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { median } from '../../harness/summary.mjs';
import { openDelayedPort } from '../servers/delayed-port.mjs';
import { BenchPostgres } from '../servers/postgres-server.mjs';
import { CONTESTANTS, usesRestate } from './contestants/registry.mjs';

/** More connections than concurrent runs, those of the warm-up included. */
const EXTRA_CONNECTIONS = 4;
const MIN_CONNECTIONS = 20;
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

  /** Starts the Restate server, once. Throws if its package is missing. */
  async startRestate() {
    if (this.#restate !== undefined) return;
    const { BenchRestate } = await import('../servers/restate-server.mjs');
    this.#restate = await BenchRestate.start();
  }

  /** Returns the arguments of a turn that depend on the store of the contestant. */
  async setupOf(contestant, { delayMs, concurrency }) {
    const { store } = CONTESTANTS[contestant];
    if (store === 'sqlite') return { folder: this.#folder };
    const restate = usesRestate(contestant) ? [this.#restate] : [];
    const [{ ingress, admin } = {}] = restate;
    const pids = restate.map(({ pid }) => pid);
    if (store === 'restate') return { ingress, admin, serverPids: pids };
    return {
      ingress,
      admin,
      url: await this.#urlOf(contestant, delayMs),
      connections: Math.max(concurrency + EXTRA_CONNECTIONS, MIN_CONNECTIONS),
      serverPids: [this.#postgres.pid, ...pids],
    };
  }

  /** Writes changed pages to disk, so that no contestant pays for the writes of another. */
  async settle() {
    await this.#withClient(0, (client) => client.query('checkpoint'));
  }

  /** Returns the time of a statement that does nothing, in milliseconds. */
  roundTripMs(delayMs) {
    return this.#withClient(delayMs, async (client) => {
      const times = [];
      for (let index = 0; index < ROUND_TRIPS; index++) {
        const start = performance.now();
        await client.query('select 1');
        times.push(performance.now() - start);
      }
      return median(times);
    });
  }

  versionOfPostgres() {
    return this.#withClient(0, async (client) => {
      return (await client.query('show server_version')).rows[0].server_version;
    });
  }

  async close() {
    for (const { close } of this.#ports.values()) close();
    await this.#restate?.stop();
    await this.#postgres.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #withClient(delayMs, work) {
    const client = new Client(await this.#urlOf('postgres', delayMs));
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
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
