/**
 * Measures if a desk slows down as the number of parked runs grows.
 *
 *   npm run bench:desk -- [--runs 100000] [--small 1000] [--rounds 4] [--stores sqlite,postgres]
 *
 * Two stores lie side by side, one with few parked runs and one with many. Everything is measured in turn on
 * both, and beside single inserts with the same durability, so that what else the machine does hits all of
 * them alike. Only the ratios matter.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openDesk } from '@holdpoint/desk';
import { asText, show } from '../report/table.mjs';
import { AGENT, agent } from './agent.mjs';
import { AT_ONCE, CommitBench, DeskBench, roundOf, RUNS_PER_ROUND } from './measure.mjs';
import { fillWithCopies, parkRuns } from './parked-runs.mjs';
import { openPostgres } from './postgres.mjs';
import { openSqlite } from './sqlite.mjs';

/** So many runs are parked by the desk itself, twice, to see what the process keeps of them. */
const FORGOTTEN = 3000;

const OPEN = { sqlite: openSqlite, postgres: openPostgres };

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    small: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '4' },
    stores: { type: 'string', default: 'sqlite,postgres' },
  },
});
const [runs, small, rounds] = [options.runs, options.small, options.rounds].map(Number);
const live = rounds * RUNS_PER_ROUND;
if (small < live) throw new Error(`--small is below ${live}, which ${rounds} rounds use up.`);

for (const name of options.stores.split(',')) {
  const opened = await OPEN[name]();
  try {
    await measure(opened);
  } finally {
    await opened.close();
  }
}

async function measure(opened) {
  const benches = [];
  for (const [index, parked] of [small, runs].entries()) {
    console.error(`${opened.name}: parks ${parked} runs`);
    const desk = openDesk({ store: opened.stores[index].store, agents: { [AGENT]: { agent } } });
    const [first, ...runIds] = await parkRuns(desk, live + 1);
    await fillWithCopies(opened.stores[index], first, parked - live - 1);
    benches.push(new DeskBench(desk, runIds));
    if (parked === runs) await reportHeap(opened.name, desk);
  }
  await opened.settle();
  for (const [index, parked] of [small, runs].entries()) await benches[index].prepare(parked);
  const commits = new CommitBench(opened.commit);
  for (let round = 1; round <= rounds; round++) {
    console.error(`${opened.name}: round ${round} of ${rounds}`);
    await roundOf([...benches, commits]);
  }
  report(opened.name, ...[...benches, commits].map(({ times }) => times.medians));
  for (const scan of await opened.scans(runs)) console.log(`walks: ${scan}`);
}

function report(name, few, many, commits) {
  const rows = Object.keys(few).map((what) => {
    return [what, show(few[what]), show(many[what]), `${show(many[what] / few[what])}x`];
  });
  console.log(`\n${name}: milliseconds each, medians of ${rounds} rounds\n`);
  console.log(asText([['', `${small} parked`, `${runs} parked`, 'ratio'], ...rows], 1));
  const rates = [
    ['one by one', commits.commit, few.decision, many.decision],
    [
      `${AT_ONCE} at once`,
      ...[commits, few, many].map((all) => all['commit, at once'] ?? all['decide, at once']),
    ],
  ].map(([how, commit, ...decisions]) => {
    return [how, ...[commit, ...decisions].map(perSecond), `${show(commit / decisions[1])}x`];
  });
  const head = [
    'per second',
    'bare commits',
    `decisions, ${small}`,
    `decisions, ${runs}`,
    'to bare',
  ];
  console.log(`\n${asText([head, ...rates], 1)}\n`);
}

function perSecond(milliseconds) {
  return show(1_000 / milliseconds);
}

async function reportHeap(name, desk) {
  // The first rounds include compilation.
  await parkRuns(desk, FORGOTTEN);
  const before = await heapUsed();
  await parkRuns(desk, FORGOTTEN);
  const perRun = ((await heapUsed()) - before) / FORGOTTEN;
  console.log(`\n${name}: ${perRun.toFixed(0)} bytes of heap are held for each parked run`);
}

/** After garbage collections: what is reachable. */
async function heapUsed() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let times = 0; times < 4; times++) {
    collect();
    await sleep(20);
  }
  const { heapUsed: heap, external } = process.memoryUsage();
  return heap + external;
}
