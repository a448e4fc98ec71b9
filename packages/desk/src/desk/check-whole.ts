import { UserError } from 'holdpoint';
import { shownValue } from '../model/check-keys.ts';

/** Validates a whole number above 0, and returns it. */
export function checkWhole(what: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UserError(`\`${what}\` is ${shownValue(value)}. Pass a whole number above 0.`);
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
