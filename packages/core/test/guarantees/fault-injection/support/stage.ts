import { setImmediate } from 'node:timers';
import { vi } from 'vitest';
import { present } from '../../../support/present.ts';

/** Lease of every claim, in milliseconds. */
export const LEASE = 1000;

/** A planned fault. */
export interface Mishap {
  /** The number of opened gates, or the nth arrival at a gate with this label. */
  readonly at: number | { readonly label: string; readonly nth: number };
  /**
   * `crash`: the process stops for good. `freeze`: it stops until a `thaw`. `throw`: a ledger operation
   * fails. `abort`: the run's signal aborts. `tick`: time passes, more than a tool's timeout. `expire`:
   * time passes, more than a lease.
   */
  readonly kind: 'crash' | 'freeze' | 'thaw' | 'throw' | 'abort' | 'tick' | 'expire';
  /** Index of the affected worker, if the gate does not determine it. */
  readonly who: number;
}

/** A process. A crash loses all of its state. */
export interface SimulatedProcess {
  readonly id: number;
  isDead: boolean;
  isFrozen: boolean;
}

/** A run in a process, with the controller that aborts it. */
export interface Worker {
  readonly process: SimulatedProcess;
  readonly controller: AbortController;
}

/** A point at which a worker waits for its turn. */
interface Gate {
  readonly worker: Worker;
  /** The operation before or after the gate. Gates labelled `hang` open after all others. */
  readonly label: string;
  open(): void;
  fail(error: Error): void;
}

/** An error that was planned. */
export class PlannedError extends Error {
  override name = 'PlannedError';
}

/**
 * Schedules all workers: each waits at a gate, and the stage opens one gate at a time. Without an
 * `order` it opens them in order of arrival.
 */
export class Stage {
  readonly processes: readonly SimulatedProcess[];
  /** True if workers at `hang` gates continue. */
  isLate = false;
  #gates: Gate[] = [];
  #opened = 0;
  #mishaps: readonly Mishap[] = [];
  readonly #order: readonly number[];
  readonly #comers = new Map<string, number>();
  /** Faults for workers that just arrived at a gate. */
  readonly #due: { readonly mishap: Mishap; readonly gate: Gate }[] = [];

  constructor(options: { processes: number; order: readonly number[] }) {
    this.processes = Array.from({ length: options.processes }, (_, id) => ({
      id,
      isDead: false,
      isFrozen: false,
    }));
    this.#order = options.order;
  }

  /** Replaces the planned faults. */
  threaten(mishaps: readonly Mishap[]): void {
    this.#mishaps = mishaps;
    this.#opened = 0;
    this.#comers.clear();
    this.#due.length = 0;
  }

  /** Waits for the worker's turn. */
  wait(worker: Worker, label: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const gate = { worker, label, open: resolve, fail: reject };
      this.#gates.push(gate);
      const nth = this.#comers.get(label) ?? 0;
      this.#comers.set(label, nth + 1);
      for (const mishap of this.#take(({ at }) => isAt(at, label, nth))) {
        this.#due.push({ mishap, gate });
      }
    });
  }

  /** Opens gates until no worker can continue. */
  async play(): Promise<void> {
    let waited = 0;
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      await settleMicrotasks();
      if (this.#suffer()) continue;
      const passable = this.#gates.filter(
        ({ worker: { process }, label }) => isActive(process) && (label !== 'hang' || this.isLate),
      );
      if (passable.length > 0) {
        this.#open(passable);
      } else if (vi.getTimerCount() > 0 && waited < MAX_WAIT) {
        waited += POLL;
        vi.advanceTimersByTime(POLL);
      } else {
        return;
      }
    }
    throw new Error('This does not come to an end.');
  }

  /** Continues all frozen processes. */
  thaw(): void {
    for (const process of this.processes) process.isFrozen = false;
  }

  #open(passable: readonly Gate[]): void {
    const choice = this.#order[this.#opened % Math.max(1, this.#order.length)] ?? 0;
    const gate = present(passable[choice % passable.length]);
    this.#opened += 1;
    this.#remove(gate);
    gate.open();
  }

  #remove(gate: Gate): void {
    this.#gates = this.#gates.filter((one) => one !== gate);
  }

  /** Removes and returns planned faults. */
  #take(wanted: (mishap: Mishap) => boolean): readonly Mishap[] {
    const taken = this.#mishaps.filter(wanted);
    if (taken.length > 0) this.#mishaps = this.#mishaps.filter((one) => !wanted(one));
    return taken;
  }

  /** Applies the faults that are due; returns true if there were any. */
  #suffer(): boolean {
    const now = this.#take(({ at }) => typeof at === 'number' && at <= this.#opened);
    const due = this.#due.splice(0);
    for (const mishap of now) {
      this.#strike(mishap, this.#gates[mishap.who % Math.max(1, this.#gates.length)]);
    }
    for (const { mishap, gate } of due) this.#strike(mishap, gate);
    return now.length + due.length > 0;
  }

  #strike({ kind }: Mishap, gate: Gate | undefined): void {
    if (kind === 'thaw') this.thaw();
    if (kind === 'tick') vi.advanceTimersByTime(TICK);
    if (kind === 'expire') vi.advanceTimersByTime(LEASE + POLL);
    if (gate === undefined || !isActive(gate.worker.process)) return;
    const { process, controller } = gate.worker;
    if (kind === 'crash') process.isDead = true;
    if (kind === 'freeze') process.isFrozen = true;
    if (kind === 'abort') controller.abort(new PlannedError('Told to stop.'));
    if (kind !== 'throw' || !gate.label.includes(' ledger')) return;
    this.#remove(gate);
    gate.fail(new PlannedError(`The ledger cannot be reached ${gate.label}.`));
  }
}

const TICK = 60;
const POLL = 100;
const MAX_WAIT = 3 * LEASE;
const MAX_STEPS = 5000;

function isAt(at: Mishap['at'], label: string, nth: number): boolean {
  return typeof at !== 'number' && at.label === label && at.nth === nth;
}

function isActive({ isDead, isFrozen }: SimulatedProcess): boolean {
  return !isDead && !isFrozen;
}

/** Resolves after all pending microtasks. */
function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
