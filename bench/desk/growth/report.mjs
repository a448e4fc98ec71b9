import { show } from '../../report/table.mjs';

/** An operation may take at most so many times its time with the fewest parked runs. */
const MAX_GROWTH = 1.3;

/** Returns the growth of each operation from the smallest to every larger size, and if it is flat. */
export function growthOf(sizes) {
  const [first, ...others] = sizes;
  return Object.keys(first.medians).map((operation) => {
    const ratios = others.map(({ medians }) => {
      return medians[operation].ms / first.medians[operation].ms;
    });
    return { operation, ratios, isFlat: ratios.every((ratio) => ratio <= MAX_GROWTH) };
  });
}

/** Returns the table of a store: per operation its time, its growth and its queries. */
export function growthTable(sizes, growth) {
  const head = [
    'operation',
    ...sizes.map(({ parked }) => `${parked} parked, ms`),
    ...sizes.slice(1).map(({ parked }) => `growth to ${parked}`),
    ...sizes.map(({ parked }) => `queries, ${parked}`),
    `at most ${MAX_GROWTH}x`,
  ];
  const rows = growth.map(({ operation, ratios, isFlat }) => [
    operation,
    ...sizes.map(({ medians }) => show(medians[operation].ms)),
    ...ratios.map((ratio) => `${show(ratio)}x`),
    ...sizes.map(({ medians }) => String(Math.round(medians[operation].queries * 10) / 10)),
    isFlat ? 'met' : 'EXCEEDED',
  ]);
  return [head, ...rows];
}

/** Returns decisions per second beside bare commits per second. */
export function rateTable(sizes, commits) {
  const rows = Object.entries(commits).map(([operation, { ms }]) => [
    operation,
    show(1_000 / ms),
    ...sizes.map(({ medians }) => show(1_000 / medians[operation].ms)),
    `${show(ms / sizes.at(-1).medians[operation].ms)}x`,
  ]);
  const named = sizes.map(({ parked }) => `${parked} parked`);
  return [['per second', 'bare commits', ...named, 'last to bare'], ...rows];
}
