/**
 * Measures the overhead of frameworks, compared with a bare loop.
 *
 *   npm run bench -- [--adapters limit,holdpoint] [--workloads w1,w3] [--rounds 5] [--budget 800]
 *                    [--timeout 60] [--parked 10000] [--out file] [--merge] [--markdown] [--from file]
 *
 * Installs and builds the packages, measures every case in a separate process, and prints the
 * figures and the budget of the core to standard output. Exits with 1 if the core exceeds its
 * budget. Progress goes to standard error. See README.md.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ADAPTERS, LIMIT } from './adapters/registry.mjs';
import { casesOf, WORKLOAD_NAMES } from './harness/cases.mjs';
import { numberOf, stop } from './harness/options.mjs';
import { build, install } from './harness/prepare.mjs';
import { runChild } from './harness/run-child.mjs';
import { cpuRatio, isFailure, summarize } from './harness/summary.mjs';
import { budgetOf, budgetTable } from './report/budget.mjs';
import { asMarkdown, asText, show, tableOf } from './report/table.mjs';

const { values: options } = parseArgs({
  options: {
    adapters: { type: 'string', default: Object.keys(ADAPTERS).join(',') },
    workloads: { type: 'string', default: WORKLOAD_NAMES.join(',') },
    rounds: { type: 'string', default: '5' },
    budget: { type: 'string', default: '800' },
    timeout: { type: 'string', default: '60' },
    parked: { type: 'string', default: '10000' },
    out: {
      type: 'string',
      default: fileURLToPath(new URL('results/latest.json', import.meta.url)),
    },
    merge: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    from: { type: 'string' },
  },
});

const results = options.from ? read(options.from) : await measureAll();
const coreBudget = budgetOf(results);
for (const table of [tableOf(results), budgetTable(coreBudget)]) {
  console.log(options.markdown ? `\n${asMarkdown(table)}` : `\n${asText(table)}`);
}
if (coreBudget.some(({ isMet }) => !isMet)) process.exitCode = 1;

async function measureAll() {
  const adapters = listed('adapters', Object.keys(ADAPTERS));
  const workloads = listed('workloads', WORKLOAD_NAMES);
  const rounds = numberOf(options, 'rounds');
  const limits = { budget: numberOf(options, 'budget'), parked: numberOf(options, 'parked') };
  requireNode();
  install();
  build();
  const measured = options.merge && existsSync(options.out) ? read(options.out) : {};
  const all = workloads.map((workload) =>
    casesOf(workload, limits).map((one) => ({ ...one, rounds: one.rounds(rounds) })),
  );
  const progress = progressOver(
    adapters,
    all.flat().reduce((sum, one) => sum + one.rounds * adapters.length, 0),
  );
  for (const [index, workload] of workloads.entries()) {
    // A workload is replaced as a whole, because its figures are compared round by round.
    measured[workload] = await measureWorkload(all[index], adapters, progress);
    save(measured);
  }
  console.error(`Written to ${options.out}`);
  return measured;
}

/**
 * Measures every case with every adapter once per round, so that the load of the machine affects
 * all of them. A case that failed is not measured again.
 */
async function measureWorkload(cases, adapters, progress) {
  const samples = cases.map(() => Object.fromEntries(adapters.map((adapter) => [adapter, []])));
  const rounds = Math.max(...cases.map((one) => one.rounds));
  for (let round = 1; round <= rounds; round++) {
    for (const [index, { workload, key, args, rounds: wanted }] of cases.entries()) {
      if (round > wanted) continue;
      for (const adapter of adapters) {
        progress.update(`${workload} ${key}, round ${round} of ${wanted}, ${adapter}`);
        const of = samples[index][adapter];
        if (of.some(isFailure)) continue;
        of.push(await runChild(args(adapter), numberOf(options, 'timeout')));
      }
      if (round === wanted) progress.finishCase(`${workload} ${key}`, cellsOf(samples[index]));
    }
  }
  return Object.fromEntries(cases.map(({ key }, index) => [key, cellsOf(samples[index])]));
}

/** Returns the figures of one case by adapter. */
function cellsOf(samples) {
  const cells = Object.fromEntries(
    Object.entries(samples).map(([adapter, ofRounds]) => [adapter, summarize(ofRounds)]),
  );
  for (const cell of Object.values(cells)) cell.toLimit = cpuRatio(cell, cells[LIMIT]);
  return cells;
}

function save(measured) {
  const about = { node: process.version, when: new Date().toISOString() };
  const { rounds, budget } = options;
  mkdirSync(dirname(resolve(options.out)), { recursive: true });
  writeFileSync(
    options.out,
    JSON.stringify({ ...about, rounds, budget, results: measured }, undefined, 1),
  );
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8')).results;
}

/** Reports progress: one changing line in a terminal, otherwise a line per finished case. */
function progressOver(adapters, total) {
  const { stderr } = process;
  let done = 0;
  const clear = stderr.isTTY ? '\r\u001b[K' : '';
  return {
    update(what) {
      done++;
      if (stderr.isTTY) stderr.write(`${clear}[${done}/${total}] ${what}`);
    },
    finishCase(what, cells) {
      const figures = adapters.map((adapter) => `${adapter} ${brief(cells[adapter])}`);
      stderr.write(`${clear}[${done}/${total}] ${what}: ${figures.join(', ')}\n`);
    },
  };
}

function brief({ unsupported, timeout, error, importMs, heapPerRun, cpuUs }) {
  if (unsupported) return 'cannot';
  if (timeout) return `> ${timeout} s`;
  if (error) return `failed: ${error}`;
  if (importMs !== undefined) return `${show(importMs)} ms`;
  if (heapPerRun !== undefined) return `${show(heapPerRun / 1024)} KB`;
  return `${show(cpuUs)} µs`;
}

function listed(option, known) {
  const names = options[option].split(',');
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    stop(`Unknown \`--${option}\`: ${unknown.join(', ')}. Pass one of: ${known.join(', ')}.`);
  }
  return names;
}

function requireNode() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 22)
    stop(`Node ${process.version} is too old. Use \`npm run bench\`, which brings its own.`);
}
