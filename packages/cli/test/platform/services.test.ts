import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { deskClient } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { repository } from '../../../core/test/support/run-program.ts';
import { CashierFolder } from '../support/cashier-folder.ts';
import { bin, holdpoint, until } from '../support/holdpoint.ts';

const FILE = 'packages/cli/test/platform/programs/cashier-desk.ts';
const TOKEN = 'a-token-of-the-tests';

/** `holdpoint serve` or `holdpoint worker` in another process; dispose of it at the end of the test. */
class Service implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  #printed = '';

  constructor(args: readonly string[], environment: Readonly<Record<string, string>>) {
    const options = ['--conditions=holdpoint-source', '--disable-warning=ExperimentalWarning'];
    this.#child = spawn(`${repository}node_modules/.bin/node`, [...options, bin, ...args], {
      cwd: repository,
      env: { ...process.env, HOLDPOINT_TOKEN: TOKEN, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // After its exit, and after all of its output.
    this.#closed = once(this.#child, 'close');
    this.#child.stderr?.on('data', (data) => {
      this.#printed += String(data);
    });
  }

  /** The log lines so far. */
  get lines(): readonly Readonly<Record<string, unknown>>[] {
    return this.#printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  async lineOf(event: string): Promise<Readonly<Record<string, unknown>>> {
    await until(
      () => this.lines.some((line) => line['event'] === event) || this.#child.exitCode !== null,
    );
    return this.lines.find((line) => line['event'] === event) ?? {};
  }

  signal(): void {
    this.#child.kill('SIGTERM');
  }

  async end(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

describe('holdpoint serve and holdpoint worker', () => {
  it('serve and work in separate processes, and fail their readiness while they drain', async () => {
    await using folder = new CashierFolder();
    const environment = { ...folder.environment, HOLDPOINT_DESK: FILE };
    await using served = new Service(['serve', '--port', '0'], {
      ...environment,
      HOLDPOINT_DRAIN_DELAY_MS: '3000',
    });
    await using worker = new Service(['worker'], environment);
    const url = String((await served.lineOf('listening'))['url']);
    await worker.lineOf('worker-started');
    const client = deskClient({ url, headers: { authorization: `Bearer ${TOKEN}` } });

    const { id } = await client.start({ agent: 'cashier', prompt: 'pay ada 40' });
    await until(async () => (await client.run(id)).state === 'parked');

    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    served.signal();
    worker.signal();
    await served.lineOf('draining');
    await until(async () => (await fetch(`${url}/readyz`)).status === 503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await client.run(id)).state).toBe('parked');
    expect(await worker.end()).toBe(0);
    expect(await served.end()).toBe(0);
    expect(served.lines.at(-1)).toMatchObject({ event: 'stopped' });
  });

  it('name the worker in the tasks that it claims, and limit its runs', async () => {
    await using folder = new CashierFolder();
    await using worker = new Service(['worker', '--max-runs-per-agent', 'cashier=2'], {
      ...folder.environment,
      HOLDPOINT_DESK: FILE,
      HOLDPOINT_WORKER_NAME: 'worker-of-the-test',
      HOLDPOINT_MAX_RUNS_PER_TENANT: '2',
      HOLDPOINT_RESERVED_SLOTS: 'expiry=2',
    });
    await worker.lineOf('worker-started');
    const [store, desk] = [await folder.store(), await folder.desk()];
    const runId = await desk.start('cashier', 'pay ada 40');
    await until(async () => (await desk.run(runId)).state === 'parked');

    const task = await store.read((tx) => tx.tasks.get('default', 'run', runId));
    expect(task).toMatchObject({ claimedBy: 'worker-of-the-test' });
  });

  it('fail at the start if a limit names an unknown agent', async () => {
    await using folder = new CashierFolder();
    const environment = {
      ...folder.environment,
      HOLDPOINT_MAX_RUNS_PER_AGENT: 'cashir=2',
      HOLDPOINT_HEALTH_PORT: '0',
    };
    const failed = await holdpoint(['worker', FILE], environment);

    expect(failed).toMatchObject({ exitCode: 1 });
    expect(failed.stderr).toContain('Did you mean `cashier`?');
    expect(failed.stderr).not.toContain('worker-started');
  });

  it('fail at the start if a setting is unknown, or if no caller would be accepted', async () => {
    await using folder = new CashierFolder();
    const { environment } = folder;
    const unknown = await holdpoint(['serve', FILE], { ...environment, HOLDPOINT_PROT: '1' });
    const closed = await holdpoint(['serve', FILE, '--port', '0'], environment);

    expect(unknown).toMatchObject({ exitCode: 1 });
    expect(unknown.stderr).toContain('Did you mean `HOLDPOINT_PORT`?');
    expect(closed).toMatchObject({ exitCode: 1 });
    expect(closed.stderr).toContain('no caller would be accepted');
  });
});
