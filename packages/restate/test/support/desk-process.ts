import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { killAtExit } from '../../../desk/test/platform/support/leftovers.ts';

/** Settings of a process that serves a desk to Restate. */
export interface DeskProcessSetup {
  readonly database: string;
  /** The file to which tools append the names of their calls when they start. */
  readonly effects: string;
  readonly ingress: readonly string[];
  readonly port?: number | undefined;
  /** The port of a balancer. */
  readonly control?: number | undefined;
  readonly lease: number;
  readonly sweepMs: number;
  /** The version of the code, which is part of the model's responses. */
  readonly version: string;
  /** Set if calls or model requests never end in this process, or if model requests take 2 seconds. */
  readonly hangs?: 'calls' | 'model' | 'slow-model' | undefined;
}

const PROGRAM = join(import.meta.dirname, '../platform/programs/desk-process.ts');

/** A process that serves a desk to Restate. */
export class DeskProcess implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(setup: DeskProcessSetup): Promise<DeskProcess> {
    const flags = ['--conditions=holdpoint-source'];
    const child = spawn(process.execPath, [...flags, PROGRAM, JSON.stringify(setup)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    killAtExit(child);
    const [line] = await once(createInterface(child.stdout), 'line');
    return new DeskProcess(child, Number(line));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ends the process with `kill -9`. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
