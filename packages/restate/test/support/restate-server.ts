import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killAtExit } from '../../../desk/test/platform/support/leftovers.ts';
import { scratchFolder } from '../../../desk/test/platform/support/scratch-folder.ts';
import { freePort } from '../../../desk/test/platform/support/free-port.ts';

const require = createRequire(import.meta.url);

/** A Restate server from its npm package, on loopback. */
export class RestateServer implements AsyncDisposable {
  readonly ingress: string;
  readonly admin: string;
  readonly #ports: Ports;
  readonly #settings: Settings;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(folder: string, ports: Ports, settings: Settings) {
    this.#folder = folder;
    this.#ports = ports;
    this.#settings = settings;
    this.ingress = `http://127.0.0.1:${ports.ingress}`;
    this.admin = `http://127.0.0.1:${ports.admin}`;
  }

  /** Starts a server, or one node of a cluster. */
  static async start(settings: Settings = {}, ports?: Ports): Promise<RestateServer> {
    const folder = scratchFolder('restate');
    const server = new RestateServer(folder, ports ?? (await freePorts()), settings);
    await server.restart();
    return server;
  }

  /** Starts the server again, with the same data on the same ports. */
  async restart(): Promise<void> {
    const { ingress, admin, node } = this.#ports;
    const folder = this.#folder;
    const args = ['--base-dir', join(folder, 'data'), '--bind-ip', '127.0.0.1', '--listen-mode'];
    const child = spawn(binary(), [...args, 'tcp'], {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        DO_NOT_TRACK: '1',
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LOG_FILTER: 'warn',
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MiB',
        RESTATE_DEFAULT_NUM_PARTITIONS: '4',
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_BIND_PORT: String(node),
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}/`,
        ...this.#settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    killAtExit(child);
    const log = createWriteStream(this.#log, { flags: 'a' });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    await this.#untilReady(child);
  }

  /** Ends the server with `kill -9`. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Registers the services at an address. */
  async register(uri: string, options: object = {}): Promise<{ readonly id: string }> {
    const body = JSON.stringify({ uri, ...options });
    const response = await this.#post('/deployments', body);
    // The admin API of the pinned version returns the id.
    return (await response.json()) as { readonly id: string };
  }

  /** Returns the rows of a query on the tables of the server. */
  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const response = await this.#post('/query', JSON.stringify({ query: sql }));
    // The caller names the columns.
    return ((await response.json()) as { rows: Record<string, unknown>[] }).rows;
  }

  /** Sends a request to the admin API. */
  async request(method: string, path: string): Promise<Response> {
    return fetch(`${this.admin}${path}`, { method });
  }

  /** Calls a handler, and returns its result. */
  async call(path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.ingress}/${path}`, {
      method: 'POST',
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #log(): string {
    return join(this.#folder, 'server.log');
  }

  async #post(path: string, body: string): Promise<Response> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetch(`${this.admin}${path}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const { ingress, admin } = this.#ports;
    for (let attempt = 0; attempt < 600; attempt++) {
      if (child.exitCode !== null) break;
      const isReady =
        (await isUp(`http://127.0.0.1:${admin}/health`)) &&
        (await isUp(`http://127.0.0.1:${ingress}/restate/health`));
      if (isReady) return;
      await sleep(50);
    }
    throw new Error(`The server did not start: ${readFileSync(this.#log, 'utf8').slice(-2_000)}`);
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await ended;
    clearTimeout(timer);
  }
}

/** Settings with which a server notices frozen processes soon, by the pings of HTTP/2. */
export const FAST_KEEP_ALIVE: Settings = {
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '1s',
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '1s',
};

/** Environment variables of a server. */
export type Settings = Readonly<Record<string, string>>;

interface Ports {
  readonly ingress: number;
  readonly admin: number;
  readonly node: number;
}

/** Starts nodes that form one cluster. Every record is on two of them. */
export async function startCluster(count: number): Promise<readonly RestateServer[]> {
  const ports: Ports[] = [];
  for (let index = 0; index < count; index++) ports.push(await freePorts());
  const addresses = JSON.stringify(ports.map(({ node }) => `http://127.0.0.1:${node}/`));
  return Promise.all(
    ports.map((own, index) =>
      RestateServer.start(
        {
          RESTATE_CLUSTER_NAME: 'holdpoint-test',
          RESTATE_NODE_NAME: `node${index + 1}`,
          RESTATE_AUTO_PROVISION: String(index === 0),
          RESTATE_DEFAULT_REPLICATION: '2',
          RESTATE_METADATA_CLIENT__ADDRESSES: addresses,
        },
        own,
      ),
    ),
  );
}

async function freePorts(): Promise<Ports> {
  return { ingress: await freePort(), admin: await freePort(), node: await freePort() };
}

function binary(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return join(require.resolve(`${name}/package.json`), '..', 'bin', 'restate-server');
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(500) })).ok;
  } catch {
    return false;
  }
}
