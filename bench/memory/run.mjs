/**
 * Measures if memory grows with the number of finished runs.
 *
 *   npm run bench:memory -- [--runs 10000] [--rounds 5]
 *
 * Each scenario has a separate process. In each round, all runs are unfinished at the same time.
 * The heap is measured after each round, after forced garbage collections. The command exits with 1
 * if the growth exceeds the bound.
 */
import { parseArgs } from 'node:util';
import { numberOf } from '../harness/options.mjs';
import { runChild } from '../harness/run-child.mjs';
import { median } from '../harness/summary.mjs';
import { asText } from '../report/table.mjs';
import { SCENARIOS } from './scenarios.mjs';

/**
 * The accepted growth of the heap per round, in bytes per run. It is less than the smallest object,
 * so a finished run must not retain anything; compiled code may grow. The growth is the median of
 * the rounds, because a table of weak references that doubles once is no leak.
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

const head = ['scenario', 'before', 'all unfinished', 'after', 'bytes per run', 'growth per run'];
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
