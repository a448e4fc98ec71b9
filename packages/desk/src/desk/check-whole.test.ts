import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { checkLimits, checkWhole } from './check-whole.ts';

const REFUSED = [0, -1, 0.5, 1_000.25, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53];

describe('a limit', () => {
  it.each([1, 60_000, Number.MAX_SAFE_INTEGER])('may be %d', (value) => {
    expect(checkWhole('lease', value)).toBe(value);
  });

  it.each(REFUSED)('may not be %d', (value) => {
    expect(() => checkWhole('lease', value)).toThrow(UserError);
    expect(() => checkWhole('lease', value)).toThrow(`\`lease\` is ${value}.`);
  });
});

describe('the limits of a desk', () => {
  const limits = { lease: 1_000, mostTries: 5, toolTimeout: 1_000 };

  it.each(['lease', 'mostTries', 'toolTimeout', 'expiresAfter'])(
    'name %s if that is the wrong one',
    (name) => {
      for (const value of REFUSED) {
        expect(() => checkLimits({ ...limits, [name]: value })).toThrow(`\`${name}\` is ${value}.`);
      }
    },
  );

  it('leave calls to wait for ever, or as long as a function says', () => {
    expect(() => checkLimits(limits)).not.toThrow();
    expect(() => checkLimits({ ...limits, expiresAfter: () => 0.5 })).not.toThrow();
  });
});
