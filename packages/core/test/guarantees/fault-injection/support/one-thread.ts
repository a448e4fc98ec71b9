import { afterAll, afterEach, beforeAll, vi } from 'vitest';

/** When every case begins: nothing that was parked in it is older than its ledger. */
export const BEGINNING: number = Date.UTC(2026, 0, 1);

/**
 * Lets the tests of a file have time to themselves, and everything happen in one thread: the same seed
 * then gives the same order of events.
 */
export function inOneThread(): void {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: BEGINNING });
  });
  afterEach(() => {
    vi.clearAllTimers();
  });
  afterAll(() => {
    vi.useRealTimers();
  });
}
