import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { deskClient, type DeskClient } from '@holdpoint/desk/client';
import { repository } from '../../../core/test/support/run-program.ts';

/** The program, as TypeScript. */
export const bin: string = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));

const node = `${repository}node_modules/.bin/node`;
const options = ['--conditions=holdpoint-source', bin] as const;
const PATIENCE = 30_000;

/** How a process has ended. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

function environmentWith(more: Environment): NodeJS.ProcessEnv {
  const nowhere = { HOLDPOINT_URL: '', HOLDPOINT_TOKEN: '', NO_COLOR: '1' };
  return { ...process.env, ...nowhere, ...more };
}

/** Runs `holdpoint` in a process of its own, without a terminal. */
export function holdpoint(args: readonly string[], environment: Environment = {}): Promise<Ended> {
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
    child.stdin?.end();
  });
}

/** `holdpoint desk` in a process of its own; dispose of it at the end of the test. */
export class ServedDesk implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  #printed = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, 'exit');
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
    await until(() => served.#printed.includes('Ctrl-C stops it.') || child.exitCode !== null);
    return served;
  }

  /** Everything that it has printed. */
  get printed(): string {
    return this.#printed;
  }

  /** What it says has to be set in other terminals. */
  get environment(): { readonly HOLDPOINT_URL: string; readonly HOLDPOINT_TOKEN: string } {
    const valueOf = (name: string) =>
      new RegExp(`export ${name}=(\\S+)`).exec(this.#printed)?.[1] ?? '';
    return { HOLDPOINT_URL: valueOf('HOLDPOINT_URL'), HOLDPOINT_TOKEN: valueOf('HOLDPOINT_TOKEN') };
  }

  /** Asks it as whoever has the token. */
  get client(): DeskClient {
    const { HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token } = this.environment;
    return deskClient({ url, headers: { authorization: `Bearer ${token}` } });
  }

  /** Has it stop as a terminal does with Ctrl-C; gives its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.#child.kill(signal);
    await this.#exited;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}

/** Waits until something is the case. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`It did not come to ${String(isSo)}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
