import type { StoryClock } from './stage.ts';

/** A clock in this process that a story moves. */
export class TestClock implements StoryClock {
  #time = Date.UTC(2026, 0, 1);
  readonly now = (): number => this.#time;

  async advance(ms: number): Promise<void> {
    this.#time += ms;
  }
}
