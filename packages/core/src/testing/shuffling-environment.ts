import { type Environment, liveEnvironment } from '../context/environment.ts';
import { nextTurn, seededRandom } from './fake-clock.ts';

/** The number of turns of the event loop for which finished steps wait for a step in progress. */
const MAX_TURNS = 10;
/** Steps that end within this time may be reordered. On a busy machine turns can take longer. */
const REORDER_MS = 10;

/** A started step whose end the run has not received. */
interface StartedStep {
  /** Of the steps that end together, the one with the lowest rank is delivered first. */
  readonly rank: number;
  /** The number of turns for which finished steps still wait for this one. */
  turnsLeft: number;
  end: StepEnd | undefined;
}

/** The end of a step. */
interface StepEnd {
  /** The time of the end. */
  readonly time: number;
  /** Passes the result to the run. */
  readonly deliver: () => void;
}

/** A step that has ended. */
type EndedStep = StartedStep & { readonly end: StepEnd };

/**
 * Creates an environment in which concurrent steps end in a random order, which depends only on the
 * seed. The result of a run must not depend on this order.
 *
 * Actions start synchronously, in call order. Each end is delivered in its own turn of the event
 * loop, after the steps that started with it have ended, unless they take long. A sleep never ends
 * before a step that ended earlier.
 */
export function shufflingEnvironment(
  seed: number,
  base: Environment = liveEnvironment,
): Environment {
  return new ShufflingEnvironment(seed, base);
}

class ShufflingEnvironment implements Environment {
  readonly #base: Environment;
  readonly #nextRank: () => number;
  readonly #steps = new Set<StartedStep>();
  /** Functions that deliver finished sleeps, in order. */
  readonly #sleeps: (() => void)[] = [];
  #delivering = false;

  constructor(seed: number, base: Environment) {
    this.#base = base;
    this.#nextRank = seededRandom(seed);
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
        this.#sleeps.push(resolve);
        void this.#deliver();
      }, reject);
    });
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const step: StartedStep = { rank: this.#nextRank(), turnsLeft: MAX_TURNS, end: undefined };
      this.#steps.add(step);
      const end = (deliver: () => void) => {
        step.end = { time: this.now(), deliver };
        void this.#deliver();
      };
      // The action starts synchronously, and an error that it throws becomes a rejection.
      new Promise<T>((started) => started(this.#base.step(name, action))).then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }

  // The order of deliveries determines the results of `all` and `race`.
  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]> {
    return liveEnvironment.all(promises, each);
  }

  race<T>(promises: readonly Promise<T>[]): Promise<T> {
    return liveEnvironment.race(promises);
  }

  /** Delivers ends one at a time, so that the run has processed one before it receives the next. */
  async #deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    while (this.#sleeps.length > 0 || this.#ended().length > 0) {
      await nextTurn();
      if (this.#sleeps.length === 0 && this.#waitForOthers()) continue;
      this.#deliverOne();
    }
    this.#delivering = false;
  }

  #deliverOne(): void {
    const ended = this.#ended();
    const earliest = Math.min(...ended.map(({ end }) => end.time));
    const [first] = ended
      .filter(({ end }) => end.time - earliest < REORDER_MS)
      .toSorted((left, right) => left.rank - right.rank);
    if (first === undefined) return this.#sleeps.shift()?.();
    this.#steps.delete(first);
    first.end.deliver();
  }

  #ended(): EndedStep[] {
    return [...this.#steps].filter((step): step is EndedStep => step.end !== undefined);
  }

  /** Returns true if a step is in progress that has turns left. Takes one turn of each such step. */
  #waitForOthers(): boolean {
    let mustWait = false;
    for (const step of this.#steps) {
      if (step.end === undefined && step.turnsLeft-- > 0) mustWait = true;
    }
    return mustWait;
  }
}
