import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { checkLimits, checkWhole } from './check-whole.ts';

const REJECTED = [0, -1, 0.5, 1_000.25, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e15 + 1];

describe('a limit', () => {
  it.each([1, 60_000, 1e15])('may be %d', (value) => {
    expect(checkWhole('lease', value)).toBe(value);
  });

  it.each(REJECTED)('may not be %d', (value) => {
    expect(() => checkWhole('lease', value)).toThrow(UserError);
    expect(() => checkWhole('lease', value)).toThrow(`\`lease\` is ${value}.`);
  });
});

describe('the limits of a desk', () => {
  const limits = { lease: 1_000, maxAttempts: 5, toolTimeout: 1_000 };

  it.each(['lease', 'maxAttempts', 'toolTimeout', 'expiresAfter'])(
    'name %s if it is invalid',
    (name) => {
      for (const value of REJECTED) {
        expect(() => checkLimits({ ...limits, [name]: value })).toThrow(`\`${name}\` is ${value}.`);
      }
    },
  );

  it('allow no expiry, and an expiry from a function', () => {
    expect(() => checkLimits(limits)).not.toThrow();
    expect(() => checkLimits({ ...limits, expiresAfter: () => 0.5 })).not.toThrow();
  });
});
