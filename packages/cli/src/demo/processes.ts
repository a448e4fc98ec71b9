import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process has printed, and how it ended. */
export interface Ended {
  readonly printed: string;
  readonly exitCode: number;
}

/** Variables beside those that this process has. */
export type Environment = Readonly<Record<string, string>>;

/** Where a module of this package is, by its path from here, in whichever form this one is. */
export function moduleAt(name: string): string {
  const [, extension = ''] = /(\.\w+)$/.exec(import.meta.url) ?? [];
  return fileURLToPath(new URL(`${name}${extension}`, import.meta.url));
}

/** What Node is given to run `holdpoint`. */
function holdpoint(args: readonly string[]): string[] {
  return [...process.execArgv, moduleAt('../bin'), ...args];
}

/** How `holdpoint` is run in the demo. */
export interface Surroundings {
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Runs a command of `holdpoint` to its end. */
export function runCommand(args: readonly string[], { env, signal }: Surroundings): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, signal };
    execFile(process.execPath, holdpoint(args), options, (error, stdout, stderr) => {
      if (signal.aborted) return reject(signal.reason);
      const exitCode = error === null ? 0 : Number(error.code ?? 1);
      resolve({ printed: `${stdout}${stderr}`, exitCode });
    });
  });
}

/** Runs a command of `holdpoint` at the terminal that this process is at; gives its exit code. */
export async function runCommandHere(args: readonly string[], env: Environment): Promise<number> {
  const child = spawn(process.execPath, holdpoint(args), {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const [exitCode] = await once(child, 'exit');
  return Number(exitCode ?? 1);
}

/** A command of `holdpoint` that goes on until it is killed. */
export class RunningCommand implements AsyncDisposable {
  /** The number that the machine has for its process. */
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

  /** Waits until it has printed something like this; gives the part in parentheses. */
  async printed(pattern: RegExp, signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const [, found] = pattern.exec(this.#printed) ?? [];
      if (found !== undefined) return found;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`It has ended by itself, and said: ${this.#printed}`);
      }
      await pause();
    }
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** A moment, between two looks. */
export function pause(ms = 20): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
