import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { FaultAtPoint, Fault, Point, Side } from './fault.ts';
import type { FaultTarget, ChildMessage } from './messages.ts';

/** Sends a message to the test, before it returns. */
export function send(message: ChildMessage): void {
  writeSync(1, `${JSON.stringify(message)}\n`);
}

/** Exits when the test process ends. Call it before opening a store, which may never open. */
export function exitWithTest(): void {
  process.stdin.once('end', () => process.exit()).resume();
}

/** Reports that this process is ready. Writes the compile cache now, because a killed process cannot. */
export function sendReady(): void {
  send({ kind: 'ready' });
  flushCompileCache();
}

/** Injects the fault of this process: kills it, freezes it, or fails its store. */
export class FaultInjector {
  readonly #fault: Fault | undefined;
  #visits = 0;
  #transactions = 0;
  /** Resolves after this process was frozen. */
  #freezing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(fault: Fault | undefined) {
    this.#fault = fault;
  }

  /** Executes a transaction. No transaction begins while the process is about to freeze outside of them. */
  async transact<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#freezing;
    this.#transactions += 1;
    try {
      return await work();
    } finally {
      this.#transactions -= 1;
      if (this.#transactions === 0) this.#onIdle?.();
    }
  }

  /** Called at every point inside of a transaction. Does not return if the process is killed there. */
  inside(point: Point): void {
    const fault = this.#faultAt(point, 'before');
    if (fault?.action === 'freeze') freezeProcess({});
    else if (fault !== undefined) this.#end(fault);
  }

  /** Called at every point outside of transactions. */
  async outside(point: Point, side: Side, target: FaultTarget): Promise<void> {
    const fault = this.#faultAt(point, side);
    if (fault === undefined) return;
    if (fault.action !== 'freeze') return this.#end(fault);
    // A frozen transaction would block the other processes.
    this.#freezing = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#transactions === 0) resolve();
    }).then(() => {
      this.#onIdle = undefined;
      freezeProcess(target);
    });
    await this.#freezing;
  }

  #faultAt(point: Point, side: Side): FaultAtPoint | undefined {
    const fault = this.#fault;
    if (fault === undefined || !('point' in fault)) return undefined;
    if (fault.point !== point || fault.side !== side) return undefined;
    this.#visits += 1;
    return this.#visits === fault.nth ? fault : undefined;
  }

  #end({ action, point, side }: FaultAtPoint): void {
    if (action === 'kill') process.kill(process.pid, 'SIGKILL');
    send({ kind: 'failed' });
    throw new Error(`The store fails ${side} ${point}.`);
  }
}

function freezeProcess(target: FaultTarget): void {
  send({ kind: 'frozen', ...target });
  process.kill(process.pid, 'SIGSTOP');
}
