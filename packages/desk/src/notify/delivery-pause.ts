const FIRST_MS = 5_000;
const MAX_MS = 6 * 60 * 60_000;

/**
 * How long to wait before a delivery is tried again, in milliseconds: four times as long each time, up to six
 * hours, and somewhere in the upper half of it. Ten tries take about a day.
 */
export function deliveryPause(attempts: number, random: () => number = Math.random): number {
  const longest = Math.min(FIRST_MS * 4 ** Math.max(attempts - 1, 0), MAX_MS);
  return Math.round(longest * (0.5 + random() / 2));
}
