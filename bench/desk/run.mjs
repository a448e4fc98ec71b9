/**
 * Measures the desk. Without `--fill` it measures W8, whole runs beside LIMIT and the peers:
 *
 *   npm run bench:desk -- [--contestants limit-postgres,desk-postgres,dbos] [--concurrency 1,16,64]
 *                         [--delays 0,2] [--rounds 3] [--warm-up 2000] [--measure 2000] [--timeout 120]
 *
 * With `--fill` it measures operations with different numbers of parked runs:
 *
 *   npm run bench:desk -- --fill 1000,100000,1000000 [--stores sqlite,postgres] [--rounds 3] [--heap]
 *
 * `--markdown` prints tables in Markdown. It exits with 1 if a run fails or a goal is missed.
 */
import { parseArgs } from 'node:util';
import { numberOf, stop } from '../harness/options.mjs';
import { build, tryInstall } from '../harness/prepare.mjs';
import { CONTESTANTS } from './w8/contestants/registry.mjs';

const STORES = ['sqlite', 'postgres'];

const { values: options } = parseArgs({
  options: {
    contestants: { type: 'string', default: Object.keys(CONTESTANTS).join(',') },
    concurrency: { type: 'string', default: '1,16,64' },
    delays: { type: 'string', default: '0,2' },
    rounds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '2000' },
    measure: { type: 'string', default: '2000' },
    timeout: { type: 'string', default: '120' },
    fill: { type: 'string' },
    stores: { type: 'string', default: STORES.join(',') },
    heap: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
  },
});

const isMet = await (options.fill === undefined ? measureW8() : measureGrowth());
process.exit(isMet ? 0 : 1);

async function measureW8() {
  const contestants = listOf('contestants', Object.keys(CONTESTANTS));
  const settings = {
    contestants,
    concurrencies: numbersOf('concurrency', 1),
    delays: numbersOf('delays', 0),
    rounds: numberOf(options, 'rounds'),
    warmUpMs: numberOf(options, 'warm-up'),
    measureMs: numberOf(options, 'measure'),
    timeout: numberOf(options, 'timeout'),
    isMarkdown: options.markdown,
  };
  const needsPeers = contestants.some((name) => CONTESTANTS[name].kind === 'peer');
  const installProblem = needsPeers ? tryInstall() : undefined;
  build();
  const { runW8 } = await import('./w8/run.mjs');
  return runW8(settings, installProblem);
}

async function measureGrowth() {
  const settings = {
    sizes: numbersOf('fill', 1).toSorted((a, b) => a - b),
    stores: listOf('stores', STORES),
    rounds: numberOf(options, 'rounds'),
    hasHeap: options.heap,
    isMarkdown: options.markdown,
  };
  build();
  const { runGrowth } = await import('./growth/run.mjs');
  return runGrowth(settings);
}

function listOf(name, known) {
  const list = options[name].split(',');
  const unknown = list.filter((one) => !known.includes(one));
  if (unknown.length > 0) {
    stop(`--${name}: unknown: ${unknown.join(', ')}. Use one of ${known.join(', ')}.`);
  }
  return list;
}

function numbersOf(name, min) {
  const list = options[name].split(',').map(Number);
  if (list.some((one) => !Number.isInteger(one) || one < min)) {
    stop(`--${name} must be whole numbers from ${min}, not ${options[name]}.`);
  }
  return list;
}
