import { median } from '../harness/summary.mjs';

const GRACE = { id: 'grace' };
const APPROVE = { kind: 'approve' };
/** How often things are done one by one in a round. */
const ONE_BY_ONE = 40;
/** The number of concurrent decisions or inserts. */
export const AT_ONCE = 16;
const MANY = 160;

/** How many runs a round uses up. */
export const RUNS_PER_ROUND = ONE_BY_ONE + MANY;

/** Milliseconds of each time that something was done, by what it was. */
class Times {
  #all = {};

  /** Does something that counts for so many, and takes the time of it. */
  async take(name, count, work) {
    const start = performance.now();
    const result = await work();
    this.#all[name] ??= [];
    this.#all[name].push((performance.now() - start) / count);
    return result;
  }

  get medians() {
    return Object.fromEntries(Object.entries(this.#all).map(([name, all]) => [name, median(all)]));
  }
}

/** A desk, and those of its runs that the benchmark resumes. */
export class DeskBench {
  #desk;
  #runIds;
  #middle;
  times = new Times();

  constructor(desk, runIds) {
    this.#desk = desk;
    this.#runIds = runIds;
  }

  /** Looks up where the middle of the list is; that takes a while. */
  async prepare(parked) {
    let after;
    for (let seen = 0; seen < parked / 2; seen += 500) {
      after = (await this.#desk.holds({ limit: 500, after })).next;
    }
    this.#middle = after;
  }

  /** One round of everything. It pauses after each thing, so that others take their turn. */
  async *round() {
    const runIds = this.#runIds.splice(0, RUNS_PER_ROUND);
    const holds = [];
    for (const runId of runIds) holds.push((await this.#desk.holds({ runId })).items[0]);
    yield* this.#list(runIds);
    yield* this.#decideOneByOne(holds.slice(0, ONE_BY_ONE));
    yield* this.#decideAtOnce(holds.slice(ONE_BY_ONE));
  }

  async *#list(runIds) {
    const desk = this.#desk;
    const lists = {
      'list open holds': () => desk.holds(),
      'list open holds, from the middle': () => desk.holds({ after: this.#middle }),
      'list open and decided holds': () => desk.holds({ states: ['open', 'decided'] }),
      'list holds of a run': () => desk.holds({ runId: runIds[0] }),
      'list parked runs': () => desk.runs({ states: ['parked'] }),
      'list runs of a rare agent': () => desk.runs({ agent: 'rare' }),
      'search a text that is nowhere': () => desk.search('no such text'),
    };
    for (const [name, list] of Object.entries(lists)) {
      for (let index = 0; index < ONE_BY_ONE; index++) {
        await this.times.take(name, 1, list);
        yield;
      }
    }
  }

  async *#decideOneByOne(holds) {
    for (const hold of holds) {
      await this.times.take('decide', 1, () => this.#decide(hold));
      yield;
    }
    for (const { runId } of holds) {
      const { state } = await this.times.take('resume, to its end', 1, () => {
        return this.#desk.work({ runId });
      });
      if (state !== 'finished') throw new Error(`A run is ${state} instead of finished.`);
      yield;
    }
  }

  async *#decideAtOnce(holds) {
    for (let from = 0; from < MANY; from += AT_ONCE) {
      const some = holds.slice(from, from + AT_ONCE);
      await this.times.take('decide, at once', some.length, () =>
        Promise.all(some.map((hold) => this.#decide(hold))),
      );
      yield;
      const done = await this.times.take('find and resume what is due', some.length, () => {
        return this.#desk.drain();
      });
      if (done !== some.length)
        throw new Error(`${done} runs were resumed instead of ${some.length}.`);
      yield;
    }
  }

  #decide({ id, digest }) {
    return this.#desk.decide(id, APPROVE, { by: GRACE, digest });
  }
}

/** Single inserts, each of them a transaction: what a commit costs, and nothing else. */
export class CommitBench {
  #commit;
  times = new Times();

  constructor(commit) {
    this.#commit = commit;
  }

  async *round() {
    for (let index = 0; index < 4 * ONE_BY_ONE; index++) {
      await this.times.take('commit', 1, () => this.#commit(index));
      yield;
    }
    for (let from = 0; from < MANY; from += AT_ONCE) {
      await this.times.take('commit, at once', AT_ONCE, () =>
        Promise.all(Array.from({ length: AT_ONCE }, (_, index) => this.#commit(index))),
      );
      yield;
    }
  }
}

/** A round of each, in turn: what else the machine does hits all of them alike. */
export async function roundOf(benches) {
  let rounds = benches.map((bench) => bench.round());
  while (rounds.length > 0) {
    const left = [];
    for (const round of rounds) if (!(await round.next()).done) left.push(round);
    rounds = left;
  }
}
