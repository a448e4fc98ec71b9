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

/** What is going to happen to processes, again and again, each time in another order. */
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
    if (this.#left.length === 0) this.#left = shuffled(this.#deal(), this.#random);
    const isFull = this.#freezing === MOST_FREEZING;
    const index = this.#left.findLastIndex(({ does }) => does !== 'freeze' || !isFull);
    const [fate] = this.#left.splice(index, 1);
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
export function fatesOfWorkers(random: () => number): Fates {
  return new Fates(
    () => [
      ...WORKER_POINTS.flatMap((point) => SIDES.map((side) => at('kill', point, side, random))),
      // With what they have read, and what others have changed when they go on.
      ...STALE_AFTER.map((point) => at('freeze', point, 'after', random)),
      at('freeze', 'execution', 'before', random),
      // In the middle of a transaction, which keeps others waiting.
      at('freeze', 'checkpoint', 'before', random),
      at('freeze', 'park', 'before', random),
      at('fail', 'settle', 'before', random),
      at('fail', 'settle', 'after', random),
      at('fail', 'checkpoint', 'after', random),
      at('fail', 'park', 'after', random),
      at('fail', 'finish', 'before', random),
      ...sometime('kill', 6, random),
      ...sometime('freeze', 2, random),
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
export function fatesOfClerks(random: () => number): Fates {
  const named = CLERK_POINTS.flatMap((point) => SIDES.map((side) => [point, side] as const));
  return new Fates(
    () => [
      ...[...named, ...named].map(([point, side]) => at('kill', point, side, random)),
      ...named.map(([point, side]) => at('freeze', point, side, random)),
      ...sometime('kill', 2, random),
    ],
    random,
  );
}

function at(
  does: 'kill' | 'freeze' | 'fail',
  point: Point,
  side: Side,
  random: () => number,
): Fate {
  // Whoever stands still takes long enough.
  const most = does === 'freeze' ? MOST_TIMES[point] / 4 : MOST_TIMES[point];
  return { does, point, side, nth: 1 + Math.floor(random() * most) };
}

function sometime(does: 'kill' | 'freeze', count: number, random: () => number): Fate[] {
  return Array.from({ length: count }, () => ({ does, afterMs: random() * LONGEST_LIFE_MS }));
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
}
