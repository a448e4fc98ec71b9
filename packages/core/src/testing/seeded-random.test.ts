import { describe, expect, it } from 'vitest';
import { seededRandom } from './seeded-random.ts';

const take = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
};

describe('seededRandom', () => {
  it('returns the same numbers for the same seed, and others for another seed', () => {
    expect(take(7, 20)).toEqual(take(7, 20));
    expect(take(7, 20)).not.toEqual(take(8, 20));
  });

  it('spreads its numbers evenly from 0 to 1', () => {
    const numbers = take(1, 10_000);
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(mean).toBeCloseTo(0.5, 1);
  });
});
