import { describe, expect, it } from 'vitest';
import { ReceiverHealth } from './receiver-health.ts';

describe('what is known of a receiver', () => {
  it('lets one through at first, and everything once it has answered', () => {
    const health = new ReceiverHealth();

    expect(health.admit(0)).toBe(0);
    expect(health.admit(0)).toBeGreaterThan(0);
    health.noteSuccess();
    expect([health.admit(1), health.admit(1), health.admit(1)]).toEqual([0, 0, 0]);
  });

  it('lets another one through if the first has found out nothing', () => {
    const health = new ReceiverHealth();
    health.admit(0);
    health.noteNothing();

    expect(health.admit(0)).toBe(0);
  });

  it('lets one at a time through after a failure and a pause, until it answers', () => {
    const health = new ReceiverHealth();
    health.noteFailure(1_000);

    expect(health.admit(1_000)).toBeGreaterThanOrEqual(500);
    expect(health.admit(2_001)).toBe(0);
    expect(health.admit(2_001)).toBeGreaterThan(0);
    health.noteSuccess();
    expect([health.admit(2_002), health.admit(2_002)]).toEqual([0, 0]);
  });

  it('waits longer after each failure, and counts those that were under way together as one', () => {
    const health = new ReceiverHealth();
    for (let count = 0; count < 10; count += 1) health.noteFailure(1_000);
    expect(health.admit(1_000)).toBeLessThanOrEqual(1_000);

    health.noteFailure(10_000);
    health.noteFailure(20_000);
    expect(health.admit(20_000)).toBeGreaterThanOrEqual(2_000);
  });
});
