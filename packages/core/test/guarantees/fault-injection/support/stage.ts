import { setImmediate } from 'node:timers';
import { vi } from 'vitest';
import { present } from '../../../support/present.ts';

/** How long claims hold in all cases. */
export const LEASE = 1000;

/** What happens to those who work, at some time. */
export interface Mishap {
  /** After so many opened gates, or when somebody comes to a gate of this kind. */
  readonly at: number | { readonly label: string; readonly nth: number };
  /**
   * `crash`: a process is gone for good. `freeze`: it stands still until a `thaw`. `throw`: an operation
   * of a ledger fails. `abort`: a run is told to stop. `tick`: time passes, more than a tool may take.
   * `lapse`: more time passes than a lease is long.
   */
  readonly kind: 'crash' | 'freeze' | 'thaw' | 'throw' | 'abort' | 'tick' | 'lapse';
  /** Whom it happens to, where that does not follow from the gate. */
  readonly who: number;
}

/** A process: what is in it, all of it is lost when it crashes. */
export interface Place {
  readonly id: number;
  isDead: boolean;
  isFrozen: boolean;
}

/** Somebody in a process who can be told to stop. */
export interface Worker {
  readonly place: Place;
  readonly controller: AbortController;
}

/** Where somebody waits until it is their turn. */
interface Gate {
  readonly worker: Worker;
  /** What comes before or after it. Who comes to `hang` goes on when everybody else is done. */
  readonly label: string;
  open(): void;
  fail(error: Error): void;
}

/** An error that was planned. */
export class PlannedError extends Error {
  override name = 'PlannedError';
}

/**
 * Decides who goes on: whatever could happen in any order waits at a gate, and one gate after the other
 * is opened. Without an order it is first come, first served.
 */
export class Stage {
  readonly places: readonly Place[];
  /** Whether those go on who hang. */
  isLate = false;
  #gates: Gate[] = [];
  #opened = 0;
  #mishaps: readonly Mishap[] = [];
  readonly #order: readonly number[];
  readonly #comers = new Map<string, number>();
  /** What is to happen to those who have just come to a gate. */
  readonly #due: { readonly mishap: Mishap; readonly gate: Gate }[] = [];

  constructor(options: { places: number; order: readonly number[] }) {
    this.places = Array.from({ length: options.places }, (_, id) => ({
      id,
      isDead: false,
      isFrozen: false,
    }));
    this.#order = options.order;
  }

  /** From here on this happens, and nothing else. */
  threaten(mishaps: readonly Mishap[]): void {
    this.#mishaps = mishaps;
    this.#opened = 0;
    this.#comers.clear();
    this.#due.length = 0;
  }

  /** Waits for its turn. */
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

  /** Lets everything happen that can happen. */
  async play(): Promise<void> {
    let waited = 0;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      await everybodyWaits();
      if (this.#suffer()) continue;
      const passable = this.#gates.filter(
        ({ worker: { place }, label }) => isActive(place) && (label !== 'hang' || this.isLate),
      );
      if (passable.length > 0) {
        this.#open(passable);
      } else if (vi.getTimerCount() > 0 && waited < LONGEST_WAIT) {
        waited += POLL;
        vi.advanceTimersByTime(POLL);
      } else {
        return;
      }
    }
    throw new Error('This does not come to an end.');
  }

  /** Whoever stood still goes on. */
  thaw(): void {
    for (const place of this.places) place.isFrozen = false;
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

  /** Takes mishaps off those that are still to come. */
  #take(wanted: (mishap: Mishap) => boolean): readonly Mishap[] {
    const taken = this.#mishaps.filter(wanted);
    if (taken.length > 0) this.#mishaps = this.#mishaps.filter((one) => !wanted(one));
    return taken;
  }

  /** Whether something has happened. */
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
    if (kind === 'lapse') vi.advanceTimersByTime(LEASE + POLL);
    if (gate === undefined || !isActive(gate.worker.place)) return;
    const { place, controller } = gate.worker;
    if (kind === 'crash') place.isDead = true;
    if (kind === 'freeze') place.isFrozen = true;
    if (kind === 'abort') controller.abort(new PlannedError('Told to stop.'));
    if (kind !== 'throw' || !gate.label.includes(' ledger')) return;
    this.#remove(gate);
    gate.fail(new PlannedError(`The ledger cannot be reached ${gate.label}.`));
  }
}

const TICK = 60;
const POLL = 100;
const LONGEST_WAIT = 3 * LEASE;
const MOST_STEPS = 5000;

function isAt(at: Mishap['at'], label: string, nth: number): boolean {
  return typeof at !== 'number' && at.label === label && at.nth === nth;
}

function isActive({ isDead, isFrozen }: Place): boolean {
  return !isDead && !isFrozen;
}

/** When this is over, everybody who could go on by themselves has done so. */
function everybodyWaits(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
