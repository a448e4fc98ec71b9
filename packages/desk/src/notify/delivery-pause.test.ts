import { describe, expect, it } from 'vitest';
import { deliveryPause } from './delivery-pause.ts';

const SECOND = 1_000;

describe('the pause before a delivery is retried', () => {
  it('grows up to six hours, with jitter', () => {
    const longest = [1, 2, 3, 4, 7, 50].map(
      (attempts) => deliveryPause(attempts, () => 1) / SECOND,
    );

    expect(longest).toEqual([5, 20, 80, 320, 20_480, 21_600]);
    expect(deliveryPause(1, () => 0)).toBe(2_500);
  });

  it('spreads ten attempts over most of a day', () => {
    const pauses = Array.from({ length: 9 }, (_, index) => deliveryPause(index + 1, () => 0.5));
    const hours = pauses.reduce((sum, pause) => sum + pause, 0) / SECOND / 3_600;

    expect(hours).toBeGreaterThan(14);
    expect(hours).toBeLessThan(24);
  });
});
