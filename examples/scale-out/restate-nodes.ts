// Starts Restate servers from their npm package on loopback: node restate-nodes.ts 3
// They are one cluster, in which every record is on two nodes. For development: in production each node has its own
// machine and disk.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running server. */
export interface RestateNode extends AsyncDisposable {
  readonly ingress: string;
  readonly admin: string;
}

/** The first port. Each node uses three: for the ingress, the admin API and other nodes. */
const FIRST_PORT = 18_080;

/** Starts one server, or a cluster. */
export async function startNodes(count = 1, firstPort = FIRST_PORT): Promise<RestateNode[]> {
  const ports = Array.from({ length: count }, (_, index) => firstPort + 3 * index);
  const addresses = JSON.stringify(ports.map((port) => `http://127.0.0.1:${port + 2}/`));
  return Promise.all(
    ports.map((port, index) =>
      startNode(port, {
        RESTATE_CLUSTER_NAME: 'holdpoint-example',
        RESTATE_NODE_NAME: `node-${index + 1}`,
        // One node creates the cluster; the others join it.
        RESTATE_AUTO_PROVISION: String(index === 0),
        RESTATE_DEFAULT_REPLICATION: String(Math.min(2, count)),
        RESTATE_METADATA_CLIENT__ADDRESSES: addresses,
      }),
    ),
  );
}

async function startNode(port: number, settings: Record<string, string>): Promise<RestateNode> {
  const folder = mkdtempSync(join(tmpdir(), 'restate-node-'));
  const child = spawn(
    binary(),
    ['--base-dir', folder, '--bind-ip', '127.0.0.1', '--listen-mode', 'tcp'],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_INGRESS__BIND_PORT: String(port),
        RESTATE_ADMIN__BIND_PORT: String(port + 1),
        RESTATE_BIND_PORT: String(port + 2),
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${port + 2}/`,
        // A process that hangs is detected within 10 seconds.
        RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '5s',
        RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '5s',
        ...settings,
      },
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const node = { ingress: `http://127.0.0.1:${port}`, admin: `http://127.0.0.1:${port + 1}` };
  await untilReady(child, node);
  return {
    ...node,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(folder, { recursive: true });
    },
  };
}

/** Registers the address of a service with a server. `restate deployments register` of the Restate CLI does the same. */
export async function register({ admin }: RestateNode, uri: string): Promise<void> {
  const response = await fetch(`${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri, force: true }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

async function untilReady(
  child: ChildProcess,
  { ingress, admin }: { ingress: string; admin: string },
): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) throw new Error('The server ended. Is one of its ports in use?');
    if ((await isUp(`${admin}/health`)) && (await isUp(`${ingress}/restate/health`))) return;
    await sleep(50);
  }
  throw new Error('The server did not start.');
}

async function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

function binary(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return join(manifest, '..', 'bin', 'restate-server');
}

if (import.meta.main) {
  const nodes = await startNodes(Number(process.argv[2] ?? 3));
  for (const { ingress, admin } of nodes) console.log(`ingress ${ingress}, admin ${admin}`);
  const stop = async () => {
    for (const node of nodes) await node[Symbol.asyncDispose]();
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
}
