import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Environment variables. */
export type Environment = Readonly<Record<string, string>>;

/** Returns the path of a module of this package, compiled or as TypeScript. */
export function moduleAt(name: string): string {
  const [, extension = ''] = /(\.\w+)$/.exec(import.meta.url) ?? [];
  return fileURLToPath(new URL(`${name}${extension}`, import.meta.url));
}

function holdpoint(args: readonly string[]): string[] {
  return [...process.execArgv, moduleAt('../bin'), ...args];
}

/** Runs a command and returns its output. */
export function runCommand(
  args: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, signal };
    execFile(process.execPath, holdpoint(args), options, (_, stdout, stderr) => {
      if (signal.aborted) reject(signal.reason);
      else resolve(`${stdout}${stderr}`);
    });
  });
}

/** Runs a command in the terminal of this process; returns its exit code. */
export async function runCommandHere(args: readonly string[], env: Environment): Promise<number> {
  const child = spawn(process.execPath, holdpoint(args), {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const [exitCode] = await once(child, 'exit');
  return Number(exitCode ?? 1);
}

/** A command that runs until it is killed. */
export class RunningCommand implements AsyncDisposable {
  readonly pid: number | undefined;
  readonly #child: ChildProcess;
  #printed = '';

  constructor(args: readonly string[], env: Environment) {
    this.#child = spawn(process.execPath, holdpoint(args), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.pid = this.#child.pid;
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (data) => {
        this.#printed += String(data);
      });
    }
  }

  /** Waits for output that matches; returns the first group. */
  async printed(pattern: RegExp, signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const [, found] = pattern.exec(this.#printed) ?? [];
      if (found !== undefined) return found;
      if (this.#hasExited) throw new Error(`The command ended early: ${this.#printed}`);
      await pause();
    }
  }

  /** Kills the process without a chance to clean up. */
  async kill(): Promise<void> {
    if (this.#hasExited) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/** Waits for a moment. */
export function pause(ms = 20): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
