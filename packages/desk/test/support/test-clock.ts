import type { Store } from '@holdpoint/desk';

/** A clock that a test moves. */
export class TestClock {
  #time = Date.now();
  readonly now = (): number => this.#time;

  advance(ms: number): void {
    this.#time += ms;
  }
}

/** A store of a test, and its clock. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
  readonly clock: TestClock;
}
