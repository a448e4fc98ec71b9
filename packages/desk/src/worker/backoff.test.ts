import { describe, expect, it } from 'vitest';
import { backoff } from './backoff.ts';

describe('backoff', () => {
  it('doubles with each attempt, up to a maximum', () => {
    const longest = (attempts: number) => backoff(attempts, () => 1);

    expect([1, 2, 3, 4].map(longest)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(longest(100)).toBe(300_000);
    expect(longest(0)).toBe(1_000);
  });

  it('is at least half of that with jitter', () => {
    expect(backoff(3, () => 0)).toBe(2_000);
    expect(backoff(3, () => 0.5)).toBe(3_000);
  });
});
