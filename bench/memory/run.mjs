/**
 * Measures if memory grows with the number of finished runs.
 *
 *   npm run bench:memory -- [--runs 10000] [--rounds 5]
 *
 * Each scenario has a process of its own, in which all its runs are under way at the same time, several
 * times over. The heap is taken after each round, with forced garbage collections. Growth above the bound
 * ends with 1.
 */
import { parseArgs } from 'node:util';
import { numberOf } from '../harness/options.mjs';
import { runChild } from '../harness/run-child.mjs';
import { median } from '../harness/summary.mjs';
import { asText } from '../report/table.mjs';
import { SCENARIOS } from './scenarios.mjs';

/**
 * How much the heap may grow in a round, in bytes for each run: less than the smallest object, so nothing
 * at all may be retained of a finished run. Some growth is allowed for compiled code. The median of the
 * rounds counts, because a table of weak references that doubles once is no growth.
 */
const MAX_BYTES_PER_RUN = 16;

const TIMEOUT_SECONDS = 300;

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
});

const runs = numberOf(options, 'runs');
const rounds = numberOf(options, 'rounds');
const rows = [];
const grown = [];
for (const name of Object.keys(SCENARIOS)) {
  const { heaps, peak } = await measure(name);
  const growth = median(heaps.slice(1).map((heap, round) => heap - heaps[round]));
  const perRun = growth / runs;
  if (perRun > MAX_BYTES_PER_RUN) grown.push(name);
  const figures = [heaps[0], peak, heaps.at(-1)].map(megabytes);
  const each = (peak - heaps[0]) / runs;
  rows.push([name, ...figures, each.toFixed(0), perRun.toFixed(1)]);
}

const head = ['scenario', 'before', 'all under way', 'after', 'bytes each', 'growth per run'];
console.log(`\n${runs} runs at a time, ${rounds} rounds, heap in MB, growth in bytes\n`);
console.log(asText([head, ...rows], 1));
for (const name of grown) {
  console.error(`${name}: grows by more than ${MAX_BYTES_PER_RUN} bytes for each run.`);
}
process.exitCode = grown.length > 0 ? 1 : 0;

async function measure(name) {
  const args = ['--expose-gc', 'memory/measure.mjs', name, String(runs), String(rounds)];
  const result = await runChild(args, TIMEOUT_SECONDS);
  if (result.heaps) {
    console.error(`${name}: done`);
    return result;
  }
  console.error(`${name}: ${result.error ?? 'took too long'}`);
  process.exit(1);
}

function megabytes(bytes) {
  return (bytes / 2 ** 20).toFixed(2);
}
