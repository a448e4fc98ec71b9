import { describe, expect, it } from 'vitest';
import { reconnectDelay } from '../../page/live/event-stream.ts';
import { formatAge, formatDuration, urgencyOf } from '../../page/time/durations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('duration', () => {
  it.each([
    [-5, '0 s'],
    [42_900, '42 s'],
    [MINUTE, '1 min'],
    [12 * MINUTE + 4_000, '12 min 4 s'],
    [5 * HOUR + 12 * MINUTE, '5 h 12 min'],
    [47 * HOUR, '47 h'],
    [3 * DAY + HOUR, '3 days'],
  ])('is formatted in at most two units: %d is %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });

  it.each([
    [59_000, '< 1 min'],
    [MINUTE, '1 min'],
    [59 * MINUTE, '59 min'],
    [3 * HOUR, '3 h'],
    [5 * DAY, '5 days'],
  ])('is formatted as an age in one unit: %d is %s', (ms, words) => {
    expect(formatAge(ms)).toBe(words);
  });

  it('is more urgent the less is left', () => {
    expect([2 * HOUR, 30 * MINUTE, 2 * MINUTE, 0].map(urgencyOf)).toEqual([
      'calm',
      'soon',
      'now',
      'expired',
    ]);
  });

  it('before a new connection grows up to a limit', () => {
    const delays = Array.from({ length: 12 }, (_, failures) => reconnectDelay(failures, 1));

    expect(delays.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    expect(Math.max(...delays)).toBe(20_000);
    expect(reconnectDelay(3, 0)).toBe(2_000);
  });
});
