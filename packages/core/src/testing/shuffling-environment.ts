import { type Environment, liveEnvironment } from '../context/environment.ts';
import { nextTurn } from './next-turn.ts';
import { seededRandom } from './seeded-random.ts';

/** Turns of the event loop that a step is waited for before those that have ended go ahead of it. */
const PATIENCE = 10;
/** Steps that end within so many milliseconds may change places; on a busy machine turns can take longer. */
const TOGETHER_MS = 10;

/** A step that was started and whose end has not reached the run. */
interface Flight {
  /** Of the steps that have ended together, the one with the lowest number is next. */
  readonly place: number;
  patience: number;
  landing: Landing | undefined;
}

/** The end of a step. */
interface Landing {
  /** When it ended. */
  readonly at: number;
  /** Hands the result to the run. */
  readonly land: () => void;
}

/** A step that has ended. */
type Landed = Flight & { readonly landing: Landing };

/**
 * An environment in which steps that run at the same time end in a random order, the same one for the
 * same seed: what a run gives must not depend on it.
 *
 * The actions start in call order and at once. An end reaches the run in a turn of the event loop of
 * its own, when the steps started with it have ended too; a step that takes long is not waited for,
 * and a sleep never ends before a step that ended earlier.
 */
export function shufflingEnvironment(
  seed: number,
  base: Environment = liveEnvironment,
): Environment {
  return new ShufflingEnvironment(seed, base);
}

class ShufflingEnvironment implements Environment {
  readonly #base: Environment;
  readonly #nextPlace: () => number;
  readonly #flights = new Set<Flight>();
  /** Sleeps that are over, in that order. */
  readonly #awake: (() => void)[] = [];
  #delivering = false;

  constructor(seed: number, base: Environment) {
    this.#base = base;
    this.#nextPlace = seededRandom(seed);
  }

  now(): number {
    return this.#base.now();
  }

  newId(): string {
    return this.#base.newId();
  }

  random(): number {
    return this.#base.random();
  }

  replaying(): boolean {
    return this.#base.replaying();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#base.sleep(ms, signal).then(() => {
        this.#awake.push(resolve);
        void this.#deliver();
      }, reject);
    });
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const flight: Flight = { place: this.#nextPlace(), patience: PATIENCE, landing: undefined };
      this.#flights.add(flight);
      const end = (land: () => void) => {
        flight.landing = { at: this.now(), land };
        void this.#deliver();
      };
      // The action starts at once, and what it throws at once is a rejection too.
      new Promise<T>((started) => started(this.#base.step(name, action))).then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }

  // The order comes from the deliveries, so `all` and `race` need not know about it.
  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]> {
    return liveEnvironment.all(promises, each);
  }

  race<T>(promises: readonly Promise<T>[]): Promise<T> {
    return liveEnvironment.race(promises);
  }

  /** Lets ends reach the run one at a time, each when it has dealt with the one before. */
  async #deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    while (this.#awake.length > 0 || this.#landed().length > 0) {
      await nextTurn();
      if (this.#awake.length === 0 && this.#waitsForOthers()) continue;
      this.#deliverOne();
    }
    this.#delivering = false;
  }

  #deliverOne(): void {
    const landed = this.#landed();
    const earliest = Math.min(...landed.map(({ landing }) => landing.at));
    const [first] = landed
      .filter(({ landing }) => landing.at - earliest < TOGETHER_MS)
      .toSorted((left, right) => left.place - right.place);
    if (first === undefined) return this.#awake.shift()?.();
    this.#flights.delete(first);
    first.landing.land();
  }

  #landed(): Landed[] {
    return [...this.#flights].filter((flight): flight is Landed => flight.landing !== undefined);
  }

  /** Whether a step is still under way and has not used up what it is waited for. */
  #waitsForOthers(): boolean {
    let waits = false;
    for (const flight of this.#flights) {
      if (flight.landing === undefined && flight.patience-- > 0) waits = true;
    }
    return waits;
  }
}
