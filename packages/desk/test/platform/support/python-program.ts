import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { killAtExit } from './leftovers.ts';

/** The folder of the Python client. */
const PYTHON = join(import.meta.dirname, '../../../../../clients/python');

/** Throws if the machine has no Python for the client. */
export function requirePython(): void {
  const { error, stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  if (error !== undefined || !/^Python 3\.(9|[1-9]\d)/.test(stdout)) {
    throw new Error(
      'The tests of the Python client need `python3` 3.9 or later on the path. Install it, for example with `apt install python3`.',
    );
  }
}

/** A process of Python with its output. */
export class PythonProgram {
  readonly #process: ChildProcess;
  #output = '';

  /** Starts a program of the folder `tests`. */
  constructor(name: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#process = spawn('python3', [join(PYTHON, 'tests', name), ...args], {
      env: { ...process.env, ...env, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    killAtExit(this.#process);
    this.#process.stdout?.on('data', (text) => {
      this.#output += String(text);
    });
  }

  /** Returns the JSON that the program printed. */
  async result(): Promise<unknown> {
    await once(this.#process, 'close');
    return JSON.parse(this.#output);
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  /** Resolves when it has killed itself. */
  async killed(): Promise<void> {
    const [, signal] = await once(this.#process, 'exit');
    expect(signal).toBe('SIGKILL');
  }
}

/** Returns a region of a program as a block of Markdown. */
export function pythonBlock(program: string, region: string): string {
  const code = new RegExp(`# region ${region}\\n([^]*?)\\n*# endregion`).exec(
    readFileSync(program, 'utf8'),
  );
  if (code === null) throw new Error(`${program} has no region \`${region}\`.`);
  return `\`\`\`python\n${code[1]}\n\`\`\``;
}
