import { AGENT, HIDDEN, LIVE_AGENT, openDeskWithRules, openPlainDesk, ROLE } from './agent.mjs';
import { Times } from './times.mjs';

const APPROVER = { id: 'grace' };
/** The number of executions of each operation in a round. */
const ONE_BY_ONE = 20;
/** The time in milliseconds for which a slow operation is repeated per round, at least once. */
const MAX_MS = 3_000;
/** The number of concurrent decisions. */
export const AT_ONCE = 16;
const MANY = 4 * AT_ONCE;
const PARKING_WORKERS = 4;

/** The number of runs that a round resumes. */
export const RUNS_PER_ROUND = ONE_BY_ONE + MANY;

/** The operations of a desk with a number of parked runs. */
export class DeskBench {
  #plain;
  #withRules;
  #opened;
  #middle;
  #runIds = [];
  times;

  constructor(opened) {
    this.#opened = opened;
    this.#plain = openPlainDesk(opened.store);
    this.#withRules = openDeskWithRules(opened.store);
    this.times = new Times(opened.countQueries);
  }

  /** Parks one run with rules, copies it in SQL, and parks the runs that the rounds resume. */
  async prepare(parked, rounds) {
    const live = rounds * RUNS_PER_ROUND;
    await parkRuns(this.#withRules, AGENT, 1);
    await this.#opened.copyRows(parked - live - 1);
    this.#runIds = await parkRuns(this.#plain, LIVE_AGENT, live);
    await this.#opened.settle();
    let after;
    for (let seen = 0; seen < Math.min(parked, 100_000) / 2; seen += 500) {
      after = (await this.#plain.holds({ limit: 500, after })).next;
    }
    this.#middle = after;
  }

  /** Executes one round. It yields after each operation, so that the other sizes take their turn. */
  async *round() {
    const runIds = this.#runIds.splice(0, RUNS_PER_ROUND);
    const holds = [];
    for (const runId of runIds) holds.push((await this.#plain.holds({ runId })).items[0]);
    yield* this.#read(runIds);
    yield* this.#decideOneByOne(holds.slice(0, ONE_BY_ONE));
    yield* this.#decideAtOnce(holds.slice(ONE_BY_ONE));
  }

  /** Parks runs and returns how many bytes of heap this process keeps for each. */
  async heapPerRun(count, heapUsed) {
    // The first half includes compilation.
    await parkRuns(this.#plain, LIVE_AGENT, count);
    const before = await heapUsed();
    await parkRuns(this.#plain, LIVE_AGENT, count);
    return ((await heapUsed()) - before) / count;
  }

  async *#read(runIds) {
    const desk = this.#plain;
    const operations = {
      'list open holds': () => desk.holds(),
      'list open holds, from the middle': () => desk.holds({ after: this.#middle }),
      'list open and decided holds': () => desk.holds({ states: ['open', 'decided'] }),
      'list holds of a run': () => desk.holds({ runId: runIds[0] }),
      'list parked runs': () => desk.runs({ states: ['parked'] }),
      'list runs of a rare agent': () => desk.runs({ agent: 'rare' }),
      'for you, role matches': () => this.#request(`mine=true&agent=${AGENT}`, ROLE),
      'for you, role matches none': () =>
        this.#requestNothing(`mine=true&agent=${AGENT}`, 'intern'),
      'search, no match': () => desk.holds({ text: 'no such text' }),
      'search with redaction, match': () => this.#request('text=order-0', ROLE),
      'search with redaction, only hidden text matches': () =>
        this.#requestNothing(`text=${HIDDEN}`, ROLE),
    };
    for (const [name, operation] of Object.entries(operations)) {
      const until = performance.now() + MAX_MS;
      for (let times = 0; times < ONE_BY_ONE; times++) {
        await this.times.take(name, 1, operation);
        yield;
        if (performance.now() > until) break;
      }
    }
  }

  async #request(query, role) {
    const headers = { 'x-role': role };
    const request = new Request(`http://127.0.0.1/v1/holds?${query}`, { headers });
    const response = await this.#withRules.fetch(request);
    const text = await response.text();
    if (!response.ok) throw new Error(`GET /v1/holds?${query}: ${response.status} ${text}`);
    return JSON.parse(text).items.length;
  }

  /** Fails if a hold is listed, because the operation would not be the one that its name states. */
  async #requestNothing(query, role) {
    const count = await this.#request(query, role);
    if (count > 0) throw new Error(`GET /v1/holds?${query} lists ${count} holds instead of none.`);
  }

  async *#decideOneByOne(holds) {
    for (const hold of holds) {
      await this.times.take('decide', 1, () => this.#decide(hold));
      yield;
    }
    for (const { runId } of holds) {
      const { state } = await this.times.take('resume, until the run ends', 1, () =>
        this.#plain.work({ runId }),
      );
      if (state !== 'finished') throw new Error(`A run is ${state} instead of finished.`);
      yield;
    }
  }

  async *#decideAtOnce(holds) {
    for (let from = 0; from < MANY; from += AT_ONCE) {
      const some = holds.slice(from, from + AT_ONCE);
      await this.times.take(`decide, ${AT_ONCE} at once`, some.length, () =>
        Promise.all(some.map((hold) => this.#decide(hold))),
      );
      yield;
      const done = await this.times.take('find and resume a due run', some.length, () =>
        this.#plain.drain(),
      );
      if (done !== some.length) {
        throw new Error(`${done} runs were resumed instead of ${some.length}.`);
      }
      yield;
    }
  }

  #decide({ id, digest }) {
    return this.#plain.decide(id, { kind: 'approve' }, { by: APPROVER, digest });
  }
}

/** Starts runs, executes them until they park, and returns their ids. */
async function parkRuns(desk, agent, count) {
  const runIds = [];
  for (let index = 0; index < count; index++) {
    runIds.push(await desk.start(agent, `order-${index}`, { requester: { id: 'ada' } }));
  }
  await Promise.all(Array.from({ length: PARKING_WORKERS }, () => desk.drain()));
  const { state } = await desk.run(runIds.at(-1));
  if (state !== 'parked') throw new Error(`A run is ${state} instead of parked.`);
  return runIds;
}
