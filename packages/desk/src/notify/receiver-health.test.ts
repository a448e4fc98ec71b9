import { describe, expect, it } from 'vitest';
import { ReceiverHealth } from './receiver-health.ts';

describe('the health of a receiver', () => {
  it('permits one request at first, and all after a success', () => {
    const health = new ReceiverHealth();

    expect(health.admit(0)).toBe(0);
    expect(health.admit(0)).toBeGreaterThan(0);
    health.recordSuccess();
    expect([health.admit(1), health.admit(1), health.admit(1)]).toEqual([0, 0, 0]);
  });

  it('permits another request if the first had no result', () => {
    const health = new ReceiverHealth();
    health.admit(0);
    health.recordNothing();

    expect(health.admit(0)).toBe(0);
  });

  it('permits one request at a time after a failure and a pause, until a success', () => {
    const health = new ReceiverHealth();
    health.recordFailure(1_000);

    expect(health.admit(1_000)).toBeGreaterThanOrEqual(500);
    expect(health.admit(2_001)).toBe(0);
    expect(health.admit(2_001)).toBeGreaterThan(0);
    health.recordSuccess();
    expect([health.admit(2_002), health.admit(2_002)]).toEqual([0, 0]);
  });

  it('pauses longer after each failure, and counts concurrent failures once', () => {
    const health = new ReceiverHealth();
    for (let count = 0; count < 10; count += 1) health.recordFailure(1_000);
    expect(health.admit(1_000)).toBeLessThanOrEqual(1_000);

    health.recordFailure(10_000);
    health.recordFailure(20_000);
    expect(health.admit(20_000)).toBeGreaterThanOrEqual(2_000);
  });
});
