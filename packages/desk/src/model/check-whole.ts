import { UserError } from 'holdpoint';
import { shownValue } from './check-keys.ts';

/**
 * The default maximum of a whole number. A time of the store plus as many milliseconds is a `Date`, and a number that every
 * database returns exactly: SQLite fails to read a row with a larger one.
 */
export const MAX_WHOLE = 1e15;

/** Validates a whole number from 1 to `max`, and returns it. */
export function checkWhole(what: string, value: number, max: number = MAX_WHOLE): number {
  if (Number.isSafeInteger(value) && value > 0 && value <= max) return value;
  throw new UserError(
    `\`${what}\` is ${shownValue(value)}. Pass a whole number above 0, at most ${max}.`,
  );
}

/** Validates the limits of a desk. The results of functions are validated when they are called. */
export function checkLimits(limits: {
  readonly lease: number;
  readonly maxAttempts: number;
  readonly toolTimeout: number;
  readonly expiresAfter?: unknown;
}): void {
  checkWhole('lease', limits.lease);
  checkWhole('maxAttempts', limits.maxAttempts);
  checkWhole('toolTimeout', limits.toolTimeout);
  if (typeof limits.expiresAfter === 'number') checkWhole('expiresAfter', limits.expiresAfter);
}
