const FIRST_MS = 500;
const LONGEST_MS = 20_000;

/** How long to wait before the next try, with some chance in it, so that not all pages come at once. */
export function waitBefore(failures: number, random: number): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return Math.round(most * (0.5 + random / 2));
}
