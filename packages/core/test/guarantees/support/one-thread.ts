import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';

/** When every case begins: nothing that was parked in it is older than its ledger. */
export const BEGINNING: number = Date.UTC(2026, 0, 1);

/**
 * Lets the tests of a file have time to themselves, and everything happen in one thread: the same seed
 * then gives the same order of events.
 *
 * Digests are computed here instead of in a pool of threads. They are the same digests.
 */
export function inOneThread(): void {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: BEGINNING });
    vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (_, data) => {
      const hash = createHash('sha256').update(data as Uint8Array);
      return new Uint8Array(hash.digest()).buffer;
    });
  });
  afterEach(() => {
    vi.clearAllTimers();
  });
  afterAll(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}
