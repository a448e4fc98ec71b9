const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** How long something takes or has taken, in one unit: `3 min`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? UNITS[3];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}
