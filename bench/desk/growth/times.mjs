import { median } from '../../harness/summary.mjs';

/** The durations of operations in milliseconds, and the queries that they sent, by operation. */
export class Times {
  #all = new Map();
  #countQueries;

  /** `countQueries` returns the number of queries so far. */
  constructor(countQueries) {
    this.#countQueries = countQueries;
  }

  /** Times work that contains `count` operations. */
  async take(name, count, work) {
    const [queries, start] = [this.#countQueries(), performance.now()];
    const result = await work();
    const sample = {
      ms: (performance.now() - start) / count,
      queries: (this.#countQueries() - queries) / count,
    };
    if (!this.#all.has(name)) this.#all.set(name, []);
    this.#all.get(name).push(sample);
    return result;
  }

  /** The samples of each operation, in order. */
  get samples() {
    return Object.fromEntries(this.#all);
  }
}

/** Returns the median time and number of queries of samples. */
export function mediansOf(samples) {
  return {
    ms: median(samples.map(({ ms }) => ms)),
    queries: median(samples.map(({ queries }) => queries)),
  };
}
