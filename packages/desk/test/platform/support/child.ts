import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Duel, Said, Setup } from './crash/messages.ts';
import { endWithThis } from './left-behind.ts';
import type { Program, Programs } from './programs.ts';

/** A process that can be treated badly. */
export class Child {
  /** Fulfils when it is gone. */
  readonly gone: Promise<undefined>;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #said = new Map<Said['kind'], (said: Said) => void>();
  #complaints = '';

  constructor(
    { pathOf, compiled }: Programs,
    program: Program,
    setup: Setup | Duel,
    hear: (said: Said) => void,
  ) {
    const flags = ['--disable-warning=ExperimentalWarning'];
    this.#process = spawn(process.execPath, [...flags, pathOf(program), JSON.stringify(setup)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    });
    endWithThis(this.#process);
    const lines = createInterface(this.#process.stdout);
    // What it has said before its end is heard before its end.
    const ends = [once(this.#process, 'exit'), once(lines, 'close')];
    this.gone = Promise.all(ends).then(() => undefined);
    lines.on('line', (line) => {
      const said: Said = JSON.parse(line);
      hear(said);
      this.#said.get(said.kind)?.(said);
    });
    this.#process.stderr.on('data', (text) => {
      this.#complaints += String(text);
    });
    this.#process.stdin.on('error', () => {});
  }

  /** What it has complained about. */
  get complaints(): string {
    return this.#complaints;
  }

  /** Whether it has ended by itself, which none should. */
  get hasFailed(): boolean {
    return this.#process.exitCode !== null;
  }

  /** Waits until it says something of this kind. */
  hears(kind: Said['kind']): Promise<Said> {
    return new Promise((resolve) => {
      this.#said.set(kind, resolve);
    });
  }

  /** Tells a clerk to start no more runs. */
  sayEnough(): void {
    this.#process.stdin.write('enough\n');
  }

  /** Tells a duelist when to begin. */
  sayBegin(at: number): void {
    this.#process.stdin.write(`${at}\n`);
  }

  /** Stops it in the middle of whatever it does. */
  freeze(): void {
    this.#process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.kill('SIGCONT');
  }

  /** Kills it, without a chance to say anything. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.gone;
  }
}
