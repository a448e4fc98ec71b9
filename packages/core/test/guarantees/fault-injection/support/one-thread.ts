import { afterAll, afterEach, beforeAll, vi } from 'vitest';

/** Start time of every case, so that no parked run is older than its ledger. */
export const BEGINNING: number = Date.UTC(2026, 0, 1);

/**
 * Fakes timers and the clock for the tests of a file, so that the same seed produces the same order of
 * events.
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
