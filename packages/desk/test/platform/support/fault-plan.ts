import {
  CLERK_POINTS,
  type Fault,
  nameOfFault,
  type Point,
  type Side,
  WORKER_POINTS,
} from './crash/fault.ts';

const SIDES: readonly Side[] = ['before', 'after'];
const MAX_LIFE_MS = 3_000;
/** Maximal number of processes with a `freeze` fault at a time. */
const MAX_FREEZING = 2;
/** Tests with fewer runs inject faults earlier. */
const FULL_RUNS = 200;
/** Maximal number of visits of a point before a fault hits the process. */
const MAX_VISITS: Readonly<Record<Point, number>> = {
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
  decision: 100,
};

/** Deals the faults of processes in rounds. Each round has every fault once, in another order. */
export class FaultPlan {
  readonly #deal: () => readonly Fault[];
  readonly #random: () => number;
  readonly #counts = new Map<string, number>();
  #left: Fault[] = [];
  #freezing = 0;

  constructor(deal: () => readonly Fault[], random: () => number) {
    this.#deal = deal;
    this.#random = random;
    for (const fault of deal()) this.#counts.set(nameOfFault(fault), 0);
  }

  /** Returns the fault of the next process. Limits how many processes are frozen at once. */
  next(): Fault {
    const isFull = this.#freezing === MAX_FREEZING;
    const isFitting = ({ action }: Fault) => action !== 'freeze' || !isFull;
    // Faults of the last round come first.
    if (!this.#left.some(isFitting)) this.#left.unshift(...shuffled(this.#deal(), this.#random));
    const [fault] = this.#left.splice(this.#left.findLastIndex(isFitting), 1);
    if (fault === undefined) throw new Error('The plan has no fault.');
    if (fault.action === 'freeze') this.#freezing += 1;
    return fault;
  }

  /** Counts a fault that occurred. Returns another one to the plan. */
  finish(fault: Fault, hasOccurred: boolean): void {
    if (fault.action === 'freeze') this.#freezing -= 1;
    if (hasOccurred)
      this.#counts.set(nameOfFault(fault), (this.#counts.get(nameOfFault(fault)) ?? 0) + 1);
    else this.#left.push(fault);
  }

  /** The number of times that each fault occurred. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get isComplete(): boolean {
    return [...this.#counts.values()].every((count) => count > 0);
  }
}

/** Workers are killed before and after every point, are frozen, and lose their store. */
export function workerFaultPlan(random: () => number, runs: number): FaultPlan {
  const { at, sometime } = faultFactory(random, runs);
  return new FaultPlan(
    () => [
      ...WORKER_POINTS.flatMap((point) => SIDES.map((side) => at('kill', point, side))),
      // They continue with rows that others have changed.
      ...STALE_AFTER.map((point) => at('freeze', point, 'after')),
      at('freeze', 'execution', 'before'),
      // Inside of a transaction, which blocks others.
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

/** Clerks are killed before and after the writes that they acknowledge. */
export function clerkFaultPlan(random: () => number, runs: number): FaultPlan {
  const { at, sometime } = faultFactory(random, runs);
  const named = CLERK_POINTS.flatMap((point) => SIDES.map((side) => [point, side] as const));
  return new FaultPlan(
    () => [
      ...[...named, ...named].map(([point, side]) => at('kill', point, side)),
      ...named.map(([point, side]) => at('freeze', point, side)),
      ...sometime('kill', 2),
    ],
    random,
  );
}

/** A few faults, for tests that share the others with longer ones. */
export function briefFaultPlans(random: () => number): {
  readonly workers: FaultPlan;
  readonly clerks: FaultPlan;
} {
  const fault = (action: 'kill' | 'freeze', point: Point, side: Side): Fault => {
    return { action, point, side, nth: 1 + Math.floor(random() * 3) };
  };
  const workers = () => [
    fault('kill', 'claim', 'after'),
    fault('kill', 'execution', 'before'),
    fault('kill', 'execution', 'after'),
    fault('kill', 'park', 'before'),
    fault('freeze', 'model', 'after'),
  ];
  const clerks = () => [fault('kill', 'start', 'after'), fault('kill', 'decision', 'after')];
  return { workers: new FaultPlan(workers, random), clerks: new FaultPlan(clerks, random) };
}

/** Returns functions that create faults at a random visit of a point, or after a random time. */
function faultFactory(random: () => number, runs: number) {
  const share = Math.min(1, runs / FULL_RUNS);
  return {
    at(action: 'kill' | 'freeze' | 'fail', point: Point, side: Side): Fault {
      const most = MAX_VISITS[point] * share;
      // A frozen process takes long, so it freezes early.
      const before = Math.floor(random() * (action === 'freeze' ? most / 4 : most));
      return { action, point, side, nth: 1 + before };
    },
    sometime(action: 'kill' | 'freeze', count: number): Fault[] {
      const afterMs = () => random() * MAX_LIFE_MS * share;
      return Array.from({ length: count }, () => ({ action, afterMs: afterMs() }));
    },
  };
}

/** Shuffles faults, with the slowest at the end, which is dealt first. */
function shuffled(plans: readonly Fault[], random: () => number): Fault[] {
  const keyed = plans.map((fault) => ({ fault, key: slownessOf(fault) + random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ fault }) => fault);
}

/** A frozen process resumes after a take-over of its run; before an execution, after a decision on the call. */
function slownessOf(fault: Fault): number {
  if (fault.action !== 'freeze') return 0;
  return 'point' in fault && fault.point === 'execution' && fault.side === 'before' ? 2 : 1;
}
