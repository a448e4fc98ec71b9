import { describe, expect, it } from 'vitest';
import { waitBefore } from '../../page/live/backoff.ts';
import { duration, roughly, urgencyOf } from '../../page/time/durations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('time', () => {
  it.each([
    [-5, '0 s'],
    [42_900, '42 s'],
    [MINUTE, '1 min'],
    [12 * MINUTE + 4_000, '12 min 4 s'],
    [5 * HOUR + 12 * MINUTE, '5 h 12 min'],
    [47 * HOUR, '47 h'],
    [3 * DAY + HOUR, '3 days'],
  ])('that passes: %d is %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });

  it.each([
    [59_000, 'under a minute'],
    [MINUTE, '1 minute'],
    [59 * MINUTE, '59 minutes'],
    [3 * HOUR, '3 hours'],
    [5 * DAY, '5 days'],
  ])('that has passed: %d is roughly %s', (ms, words) => {
    expect(roughly(ms)).toBe(words);
  });

  it('that is left is more urgent the less it is', () => {
    expect([2 * HOUR, 30 * MINUTE, 2 * MINUTE, 0].map(urgencyOf)).toEqual([
      'calm',
      'soon',
      'now',
      'over',
    ]);
  });

  it('before a connection is tried again grows, and has an end', () => {
    const waits = Array.from({ length: 12 }, (_, failures) => waitBefore(failures, 1));

    expect(waits.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    expect(Math.max(...waits)).toBe(20_000);
    expect(waitBefore(3, 0)).toBe(2_000);
  });
});
