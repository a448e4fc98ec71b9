const FIRST_MS = 5_000;
const MAX_MS = 6 * 60 * 60_000;

/**
 * Returns the pause before the next attempt of a delivery, in milliseconds. It grows fourfold up to six hours,
 * and is random in its upper half. Ten attempts take about a day.
 */
export function deliveryPause(attempts: number, random: () => number = Math.random): number {
  const longest = Math.min(FIRST_MS * 4 ** Math.max(attempts - 1, 0), MAX_MS);
  return Math.round(longest * (0.5 + random() / 2));
}
