import { UserError } from 'holdpoint';
import { shownValue } from '../model/check-keys.ts';

/** The longest time that timers and settings of a database accept, with a second for the response. */
const MAX_MS = 2 ** 31 - 1 - 1_000;

/** Validates an option of a store in milliseconds, and returns it as a whole number. */
export function requireMilliseconds(option: string, value: number): number {
  const ms = typeof value === 'number' ? Math.ceil(value) : Number.NaN;
  if (ms > 0 && ms <= MAX_MS) return ms;
  throw new UserError(
    `\`${option}\` is \`${shownValue(value)}\`. Pass a number of milliseconds above 0.`,
  );
}
