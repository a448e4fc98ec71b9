import {
  CLERK_POINTS,
  type Fate,
  nameOf,
  type Point,
  type Side,
  WORKER_POINTS,
} from './crash/fate.ts';

const SIDES: readonly Side[] = ['before', 'after'];
const LONGEST_LIFE_MS = 3_000;
/** How many processes of a kind may be about to stand still. */
const MOST_FREEZING = 2;
/** A storm of so many runs has the whole range of what may happen; in a shorter one it happens earlier. */
const WHOLE_RUNS = 200;
/** How often a process comes to a point before its fate, at most: it comes to some more often than to others. */
const MOST_TIMES: Readonly<Record<Point, number>> = {
  claim: 25,
  begin: 25,
  model: 25,
  checkpoint: 40,
  call: 40,
  execution: 40,
  settle: 40,
  park: 12,
  finish: 12,
  start: 30,
  answer: 100,
};

/** What is going to happen to processes, again and again, each time in another order. All of it before any of it again. */
export class Fates {
  readonly #deal: () => readonly Fate[];
  readonly #random: () => number;
  readonly #times = new Map<string, number>();
  #left: Fate[] = [];
  #freezing = 0;

  constructor(deal: () => readonly Fate[], random: () => number) {
    this.#deal = deal;
    this.#random = random;
    for (const fate of deal()) this.#times.set(nameOf(fate), 0);
  }

  /** The fate of the next process. Some others are to go on while one of them stands still. */
  take(): Fate {
    const isFull = this.#freezing === MOST_FREEZING;
    const isFitting = ({ does }: Fate) => does !== 'freeze' || !isFull;
    // What is left comes first, as soon as it may.
    if (!this.#left.some(isFitting)) this.#left.unshift(...ordered(this.#deal(), this.#random));
    const [fate] = this.#left.splice(this.#left.findLastIndex(isFitting), 1);
    if (fate === undefined) throw new Error('There is no fate.');
    if (fate.does === 'freeze') this.#freezing += 1;
    return fate;
  }

  /** It came to pass; or it did not, and the next process has it. */
  isOver(fate: Fate, isMet: boolean): void {
    if (fate.does === 'freeze') this.#freezing -= 1;
    if (isMet) this.#times.set(nameOf(fate), (this.#times.get(nameOf(fate)) ?? 0) + 1);
    else this.#left.push(fate);
  }

  /** How often each came to pass. */
  get times(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#times);
  }

  get areMet(): boolean {
    return [...this.#times.values()].every((count) => count > 0);
  }
}

/** Workers are killed on both sides of everything they do, stand still, and lose their store. */
export function fatesOfWorkers(random: () => number, runs: number): Fates {
  const { at, sometime } = makerOf(random, runs);
  return new Fates(
    () => [
      ...WORKER_POINTS.flatMap((point) => SIDES.map((side) => at('kill', point, side))),
      // With what they have read, and what others have changed when they go on.
      ...STALE_AFTER.map((point) => at('freeze', point, 'after')),
      at('freeze', 'execution', 'before'),
      // In the middle of a transaction, which keeps others waiting.
      at('freeze', 'checkpoint', 'before'),
      at('freeze', 'park', 'before'),
      at('fail', 'settle', 'before'),
      at('fail', 'settle', 'after'),
      at('fail', 'checkpoint', 'after'),
      at('fail', 'park', 'after'),
      at('fail', 'finish', 'before'),
      ...sometime('kill', 6),
      ...sometime('freeze', 2),
    ],
    random,
  );
}

const STALE_AFTER = [
  'claim',
  'begin',
  'model',
  'checkpoint',
  'call',
  'execution',
  'settle',
] as const;

/** Clerks are killed on both sides of what they were about to acknowledge. */
export function fatesOfClerks(random: () => number, runs: number): Fates {
  const { at, sometime } = makerOf(random, runs);
  const named = CLERK_POINTS.flatMap((point) => SIDES.map((side) => [point, side] as const));
  return new Fates(
    () => [
      ...[...named, ...named].map(([point, side]) => at('kill', point, side)),
      ...named.map(([point, side]) => at('freeze', point, side)),
      ...sometime('kill', 2),
    ],
    random,
  );
}

/** Makes fates that are met at some time: a process has come to a point before, or has lived for a while. */
function makerOf(random: () => number, runs: number) {
  const share = Math.min(1, runs / WHOLE_RUNS);
  return {
    at(does: 'kill' | 'freeze' | 'fail', point: Point, side: Side): Fate {
      const most = MOST_TIMES[point] * share;
      // Whoever stands still takes long enough.
      const before = Math.floor(random() * (does === 'freeze' ? most / 4 : most));
      return { does, point, side, nth: 1 + before };
    },
    sometime(does: 'kill' | 'freeze', count: number): Fate[] {
      const afterMs = () => random() * LONGEST_LIFE_MS * share;
      return Array.from({ length: count }, () => ({ does, afterMs: afterMs() }));
    },
  };
}

/** In any order, but for those that take longest: they are at the end, which comes first. */
function ordered(fates: readonly Fate[], random: () => number): Fate[] {
  const keyed = fates.map((fate) => ({ fate, key: slownessOf(fate) + random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ fate }) => fate);
}

/** Whoever stands still does so until another has its run; before an execution, until a person has answered for it. */
function slownessOf(fate: Fate): number {
  if (fate.does !== 'freeze') return 0;
  return 'point' in fate && fate.point === 'execution' && fate.side === 'before' ? 2 : 1;
}
