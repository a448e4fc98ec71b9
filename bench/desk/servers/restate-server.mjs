import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const STOP_TIMEOUT_MS = 5_000;

/** A Restate server on loopback, from the package `@restatedev/restate-server`. Its files are on disk. */
export class BenchRestate {
  #folder;
  #process;
  ingress;
  admin;

  static async start() {
    const started = new BenchRestate();
    const ports = { ingress: await freePort(), admin: await freePort(), node: await freePort() };
    started.ingress = `http://127.0.0.1:${ports.ingress}`;
    started.admin = `http://127.0.0.1:${ports.admin}`;
    started.#folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-restate-'));
    started.#process = spawn(
      binary(),
      ['--base-dir', started.#folder, '--bind-ip', '127.0.0.1', '--listen-mode', 'tcp'],
      { env: environmentOf(started.#folder, ports), stdio: 'ignore' },
    );
    started.#process.on('error', () => {});
    process.once('exit', () => started.#process.kill('SIGKILL'));
    await started.#ready();
    return started;
  }

  get pid() {
    return this.#process.pid;
  }

  async stop() {
    const ended = new Promise((resolve) => {
      this.#process.once('exit', resolve);
    });
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGTERM');
      const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready() {
    const until = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < until && this.#process.exitCode === null) {
      if ((await isUp(`${this.admin}/health`)) && (await isUp(`${this.ingress}/restate/health`))) {
        return;
      }
      await sleep(POLL_MS);
    }
    await this.stop();
    throw new Error('The Restate server did not start.');
  }
}

function binary() {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return join(dirname(manifest), 'bin', 'restate-server');
}

function environmentOf(folder, ports) {
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    DO_NOT_TRACK: '1',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LOG_FILTER: 'error',
    RESTATE_DEFAULT_NUM_PARTITIONS: '4',
    RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
    RESTATE_ADMIN__BIND_PORT: String(ports.admin),
    RESTATE_BIND_PORT: String(ports.node),
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${ports.node}/`,
  };
}

async function isUp(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(500) })).ok;
  } catch {
    return false;
  }
}
