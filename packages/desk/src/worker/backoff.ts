const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;

/**
 * How long to wait before the next try, in milliseconds: twice as long each time, up to five minutes, and
 * somewhere in the upper half of it, so that what failed together is not tried together.
 */
export function backoff(attempts: number, random: () => number = Math.random): number {
  const longest = Math.min(FIRST_MS * 2 ** Math.max(attempts - 1, 0), MAX_MS);
  return Math.round(longest * (0.5 + random() / 2));
}
