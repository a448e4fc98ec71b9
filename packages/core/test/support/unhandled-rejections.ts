import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect } from 'vitest';

/** Fails each test of the file that leaves an unhandled rejection. */
export function expectNoUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeEach(() => void process.on('unhandledRejection', note));
  afterEach(async () => {
    await sleep(10);
    process.off('unhandledRejection', note);
    expect(unhandled.splice(0)).toEqual([]);
  });
}
