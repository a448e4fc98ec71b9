import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { ExecutorSetup } from './crash/executor-setup.ts';
import type { Duel, ChildMessage, Setup } from './crash/messages.ts';
import { killAtExit } from './leftovers.ts';
import type { Program, Programs } from './programs.ts';

/** A process that the test can freeze and kill. */
export class Child {
  /** Resolves when it has exited. */
  readonly exited: Promise<undefined>;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #listeners = new Map<ChildMessage['kind'], (message: ChildMessage) => void>();
  #errorOutput = '';

  constructor(
    { pathOf, compiled }: Programs,
    program: Program,
    setup: Setup | Duel | ExecutorSetup,
    onMessage: (message: ChildMessage) => void,
  ) {
    const flags = ['--disable-warning=ExperimentalWarning'];
    this.#process = spawn(process.execPath, [...flags, pathOf(program), JSON.stringify(setup)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    });
    killAtExit(this.#process);
    const lines = createInterface(this.#process.stdout);
    // Messages and errors that it sent before its exit are received before `exited` resolves.
    const ends = [once(this.#process, 'close'), once(lines, 'close')];
    this.exited = Promise.all(ends).then(() => undefined);
    lines.on('line', (line) => {
      const message: ChildMessage = JSON.parse(line);
      onMessage(message);
      this.#listeners.get(message.kind)?.(message);
    });
    this.#process.stderr.on('data', (text) => {
      this.#errorOutput += String(text);
    });
    this.#process.stdin.on('error', () => {});
  }

  get errorOutput(): string {
    return this.#errorOutput;
  }

  /** Set if it exited without being killed. */
  get hasExited(): boolean {
    return this.#process.exitCode !== null;
  }

  /** Waits for a message of this kind. */
  receives(kind: ChildMessage['kind']): Promise<ChildMessage> {
    return new Promise((resolve) => {
      this.#listeners.set(kind, resolve);
    });
  }

  /** Instructs a clerk to start no more runs. */
  stopStarting(): void {
    this.#process.stdin.write('enough\n');
  }

  /** Sends a duelist the time of its first decision. */
  beginAt(at: number): void {
    this.#process.stdin.write(`${at}\n`);
  }

  freeze(): void {
    this.#process.kill('SIGSTOP');
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.exited;
  }
}
