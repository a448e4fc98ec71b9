const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;

/**
 * Returns the time before the next attempt, in milliseconds. It doubles with each attempt, up to
 * five minutes. Its upper half is random, so that tasks that failed together are not attempted
 * together again.
 */
export function backoff(attempts: number, random: () => number = Math.random): number {
  const longest = Math.min(FIRST_MS * 2 ** Math.max(attempts - 1, 0), MAX_MS);
  return Math.round(longest * (0.5 + random() / 2));
}
