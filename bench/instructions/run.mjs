/**
 * Counts the instructions of a framework and their misses in the first-level cache, on a processor
 * that valgrind simulates. The load of the machine does not affect the counts.
 *
 *   npm run bench:instructions -- [--adapters limit,holdpoint] [--workload w3] [--warm 24000] [--times 8000]
 *
 * Each adapter does the work `warm` times in one process and `warm + times` times in another. The
 * difference is the cost of the work with compiled code. Measures the first case of the workload.
 * Needs valgrind.
 */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { ADAPTERS, LIMIT } from '../adapters/registry.mjs';
import { numberOf, stop } from '../harness/options.mjs';
import { install } from '../harness/prepare.mjs';
import { asText } from '../report/table.mjs';
import { WORKLOADS } from '../workloads/workloads.mjs';

const { values: options } = parseArgs({
  options: {
    adapters: { type: 'string', default: 'limit,holdpoint' },
    workload: { type: 'string', default: 'w3' },
    warm: { type: 'string', default: '24000' },
    times: { type: 'string', default: '8000' },
  },
});

const FIGURES = {
  instructions: /I\s+refs:\s+([\d,]+)/,
  'cache misses': /I1\s+misses:\s+([\d,]+)/,
};
/**
 * One thread and fixed random numbers, so that two processes differ only in the number of
 * repetitions.
 */
const NODE_FLAGS = ['--single-threaded', '--random-seed=1', '--hash-seed=1'];
const VALGRIND_FLAGS = [
  '--tool=cachegrind',
  '--cache-sim=yes',
  '--cachegrind-out-file=/dev/null',
  '--smc-check=all-non-file',
];

const adapters = options.adapters.split(',');
const unknown = adapters.filter((name) => !(name in ADAPTERS));
if (unknown.length > 0)
  stop(
    `Unknown \`--adapters\`: ${unknown.join(', ')}. Pass one of: ${Object.keys(ADAPTERS).join(', ')}.`,
  );
if (!(options.workload in WORKLOADS))
  stop(
    `Unknown \`--workload\`: ${options.workload}. Pass one of: ${Object.keys(WORKLOADS).join(', ')}.`,
  );
const warm = numberOf(options, 'warm');
const times = numberOf(options, 'times');
if (spawnSync('valgrind', ['--version']).status !== 0) {
  stop(
    'valgrind is not installed. Install it with the package manager of your system, such as `apt-get install valgrind`.',
  );
}
if (adapters.some((name) => name !== LIMIT && !name.startsWith('holdpoint'))) install();

const counted = new Map();
for (const adapter of adapters) {
  console.error(`${adapter}, ${options.workload}: ${warm} times, and ${warm + times} times`);
  counted.set(adapter, await perUnit(adapter));
}
console.log(`\n${asText(tableOf(counted))}`);

async function perUnit(adapter) {
  const [before, after] = await Promise.all([count(adapter, warm), count(adapter, warm + times)]);
  return Object.keys(FIGURES).map((name, index) => (after[index] - before[index]) / times);
}

async function count(adapter, repetitions) {
  const program = fileURLToPath(new URL('repeat.mjs', import.meta.url));
  const work = [program, adapter, options.workload, String(repetitions)];
  const args = [...VALGRIND_FLAGS, process.execPath, ...NODE_FLAGS, ...work];
  const { stderr } = await promisify(execFile)('valgrind', args);
  return Object.values(FIGURES).map((figure) =>
    Number(stderr.match(figure)[1].replaceAll(',', '')),
  );
}

function tableOf(all) {
  const limit = all.get(LIMIT);
  const head = ['adapter', ...Object.keys(FIGURES).flatMap((name) => [name, 'to LIMIT'])];
  const rows = [...all].map(([adapter, figures]) => [
    adapter,
    ...figures.flatMap((figure, index) => [
      Math.round(figure).toLocaleString('en'),
      limit === undefined ? '–' : `${(figure / limit[index]).toFixed(2)}x`,
    ]),
  ]);
  return [head, ...rows];
}
