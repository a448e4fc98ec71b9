import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { deskClient, type DeskClient } from '@holdpoint/desk/client';
import { repository } from '../../../core/test/support/run-program.ts';

/** The program, as TypeScript. */
export const bin: string = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));

const node = `${repository}node_modules/.bin/node`;
const options = ['--conditions=holdpoint-source', bin] as const;
// On a busy machine a process needs this long to start.
const PATIENCE = 90_000;

/** The exit code and the output of a process. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

function environmentWith(more: Environment): NodeJS.ProcessEnv {
  const defaults = {
    HOLDPOINT_URL: '',
    HOLDPOINT_TOKEN: '',
    NO_COLOR: '1',
    XDG_CONFIG_HOME: '/nonexistent',
  };
  return { ...process.env, ...defaults, ...more };
}

/** Runs `holdpoint` in another process, without a terminal. */
export function holdpoint(
  args: readonly string[],
  environment: Environment = {},
  input = '',
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = environmentWith(environment);
    const child = execFile(
      node,
      [...options, ...args],
      { cwd: repository, env },
      (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}

/** `holdpoint desk` in another process; dispose of it at the end of the test. */
export class ServedDesk implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  #printed = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    // After its exit, and after all of its output.
    this.#closed = once(child, 'close');
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data) => {
        this.#printed += String(data);
      });
    }
  }

  /** Serves a desk file; resolves when it listens. */
  static async start(
    file: string,
    environment: Environment,
    args: readonly string[] = ['--port', '0'],
  ): Promise<ServedDesk> {
    const child = spawn(node, [...options, 'desk', file, ...args], {
      cwd: repository,
      env: environmentWith(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const served = new ServedDesk(child);
    await until(() => served.#printed.includes('Press Ctrl-C to stop.') || child.exitCode !== null);
    return served;
  }

  /** The output so far. */
  get printed(): string {
    return this.#printed;
  }

  /** The environment that it prints for other terminals. */
  get environment(): { readonly HOLDPOINT_URL: string; readonly HOLDPOINT_TOKEN: string } {
    const valueOf = (name: string) =>
      new RegExp(`export ${name}=(\\S+)`).exec(this.#printed)?.[1] ?? '';
    return { HOLDPOINT_URL: valueOf('HOLDPOINT_URL'), HOLDPOINT_TOKEN: valueOf('HOLDPOINT_TOKEN') };
  }

  /** A client with the token of the desk. */
  get client(): DeskClient {
    const { HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token } = this.environment;
    return deskClient({ url, headers: { authorization: `Bearer ${token}` } });
  }

  /** Sends a signal and waits for the end; returns the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.#child.kill(signal);
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

/** `holdpoint events --json` in another process; dispose of it at the end of the test. */
export class RunningEvents implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  #printed = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    // After its exit, and after all of its output.
    this.#closed = once(child, 'close');
    child.stdout?.on('data', (data) => {
      this.#printed += String(data);
    });
  }

  static start(environment: Environment): RunningEvents {
    const child = spawn(node, [...options, 'events', '--json'], {
      cwd: repository,
      env: environmentWith(environment),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return new RunningEvents(child);
  }

  /** The events so far. */
  get lines(): readonly { readonly kind: string; readonly runId: string }[] {
    const complete = this.#printed.split('\n').slice(0, -1);
    return complete.map((line) => JSON.parse(line));
  }

  /** Stops it as Ctrl-C does; returns its exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGINT');
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

/** Waits until a condition is true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Timeout: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
