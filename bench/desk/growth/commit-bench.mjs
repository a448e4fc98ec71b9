import { AT_ONCE } from './desk-bench.mjs';
import { Times } from './times.mjs';

const ONE_BY_ONE = 40;
const BATCHES = 4;

/** The row that a bare commit writes. */
export const BODY = 'x'.repeat(200);

/** Single inserts, each a transaction: the cost of a commit alone. */
export class CommitBench {
  #commit;
  times = new Times(() => 0);

  constructor(commit) {
    this.#commit = commit;
  }

  async *round() {
    for (let index = 0; index < ONE_BY_ONE; index++) {
      await this.times.take('decide', 1, () => this.#commit(index));
      yield;
    }
    for (let batch = 0; batch < BATCHES; batch++) {
      await this.times.take(`decide, ${AT_ONCE} at once`, AT_ONCE, () =>
        Promise.all(Array.from({ length: AT_ONCE }, (_, index) => this.#commit(index))),
      );
      yield;
    }
  }
}
