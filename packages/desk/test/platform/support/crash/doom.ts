import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { NamedFate, Fate, Point, Side } from './fate.ts';
import type { About, Said } from './messages.ts';

/** Says something to whoever has started this process; it is said before this returns. */
export function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}

/** Ends this process with whoever has started it, however that ends: first of all, since a store may never open. */
export function endWithTest(): void {
  process.stdin.once('end', () => process.exit()).resume();
}

/** Says that this process is about to begin, and keeps what was compiled: a process that is killed never would. */
export function sayReady(): void {
  say({ kind: 'ready' });
  flushCompileCache();
}

/** Meets the fate of this process. */
export class Doom {
  readonly #fate: Fate | undefined;
  #times = 0;
  #transactions = 0;
  /** Fulfils when this process has stood still. */
  #standing: Promise<void> | undefined;
  #onQuiet: (() => void) | undefined;

  constructor(fate: Fate | undefined) {
    this.#fate = fate;
  }

  /** Does a transaction. None begins when the process is about to stand still outside of all of them. */
  async transact<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#standing;
    this.#transactions += 1;
    try {
      return await work();
    } finally {
      this.#transactions -= 1;
      if (this.#transactions === 0) this.#onQuiet?.();
    }
  }

  /** Called at every point inside of a transaction; does not return if the process ends there. */
  inside(point: Point): void {
    const fate = this.#fateAt(point, 'before');
    if (fate?.does === 'freeze') standStill({});
    else if (fate !== undefined) this.#end(fate);
  }

  /** Called at every point outside of transactions, with what it is about. */
  async outside(point: Point, side: Side, about: About): Promise<void> {
    const fate = this.#fateAt(point, side);
    if (fate === undefined) return;
    if (fate.does !== 'freeze') return this.#end(fate);
    // Others could not go on if another transaction of this process stood still with it.
    this.#standing = new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
      if (this.#transactions === 0) resolve();
    }).then(() => {
      this.#onQuiet = undefined;
      standStill(about);
    });
    await this.#standing;
  }

  #fateAt(point: Point, side: Side): NamedFate | undefined {
    const fate = this.#fate;
    if (fate === undefined || !('point' in fate)) return undefined;
    if (fate.point !== point || fate.side !== side) return undefined;
    this.#times += 1;
    return this.#times === fate.nth ? fate : undefined;
  }

  #end({ does, point, side }: NamedFate): void {
    if (does === 'kill') process.kill(process.pid, 'SIGKILL');
    say({ kind: 'failed' });
    throw new Error(`The store fails ${side} ${point}.`);
  }
}

function standStill(about: About): void {
  say({ kind: 'frozen', ...about });
  process.kill(process.pid, 'SIGSTOP');
}
