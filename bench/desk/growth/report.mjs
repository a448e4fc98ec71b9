import { median } from '../../harness/summary.mjs';
import { show } from '../../report/table.mjs';
import { mediansOf } from './times.mjs';

/** The maximum ratio of the time of an operation to its time with the fewest parked runs. */
const MAX_GROWTH = 1.3;

/**
 * Returns the growth of each operation from the smallest to every larger size, and if it is flat. Samples of
 * the same turn are compared, so that the load of the machine affects both.
 */
export function growthOf(sizes) {
  const [first, ...others] = sizes;
  return Object.entries(first.samples).map(([operation, small]) => {
    const ratios = others.map(({ samples }) => {
      const pairs = samples[operation].slice(0, small.length);
      return median(pairs.map(({ ms }, turn) => ms / small[turn].ms));
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
  const rows = growth.map(({ operation, ratios, isFlat }) => {
    const medians = sizes.map(({ samples }) => mediansOf(samples[operation]));
    return [
      operation,
      ...medians.map(({ ms }) => show(ms)),
      ...ratios.map((ratio) => `${show(ratio)}x`),
      ...medians.map(({ queries }) => String(Math.round(queries * 10) / 10)),
      isFlat ? 'met' : 'EXCEEDED',
    ];
  });
  return [head, ...rows];
}

/** Returns decisions per second beside bare commits per second. */
export function rateTable(sizes, commits) {
  const rows = Object.entries(commits).map(([operation, samples]) => {
    const bareMs = mediansOf(samples).ms;
    const all = sizes.map((size) => mediansOf(size.samples[operation]).ms);
    const rates = [bareMs, ...all].map((ms) => show(1_000 / ms));
    return [operation, ...rates, `${show(bareMs / all.at(-1))}x`];
  });
  const named = sizes.map(({ parked }) => `${parked} parked`);
  return [['per second', 'bare commits', ...named, 'last to bare'], ...rows];
}
