import { asMarkdown, asText } from '../../report/table.mjs';
import { CommitBench } from './commit-bench.mjs';
import { DeskBench, RUNS_PER_ROUND } from './desk-bench.mjs';
import { heapUsed } from './heap.mjs';
import { openPostgres } from './postgres.mjs';
import { growthOf, growthTable, rateTable } from './report.mjs';
import { openSqlite } from './sqlite.mjs';

const OPEN = { sqlite: openSqlite, postgres: openPostgres };

/** The number of runs that are parked to measure the heap. */
const HEAP_RUNS = 3_000;

/** Measures every operation with different numbers of parked runs. Returns true if all of them are flat. */
export async function runGrowth(options) {
  const live = options.rounds * RUNS_PER_ROUND;
  if (Math.min(...options.sizes) <= live) {
    throw new Error(`${options.rounds} rounds need more than ${live} parked runs. Set \`--fill\`.`);
  }
  let isFlat = true;
  for (const name of options.stores) {
    const opened = await OPEN[name]();
    try {
      isFlat = (await measure(opened, options)) && isFlat;
    } finally {
      await opened.close();
    }
  }
  return isFlat;
}

async function measure(opened, { sizes, rounds, hasHeap, isMarkdown }) {
  const benches = [];
  const stores = [];
  for (const parked of sizes) {
    console.error(`${opened.name}: parks ${parked} runs`);
    const store = await opened.newStore(parked);
    stores.push(store);
    const bench = new DeskBench(store);
    benches.push(bench);
    await bench.prepare(parked, rounds);
  }
  const commits = new CommitBench(opened.commit);
  for (let round = 1; round <= rounds; round++) {
    console.error(`${opened.name}: round ${round} of ${rounds}`);
    await takeTurns([...benches, commits]);
  }
  const measured = sizes.map((parked, index) => ({
    parked,
    samples: benches[index].times.samples,
  }));
  const growth = growthOf(measured);
  const print = (rows) => console.log(`\n${isMarkdown ? asMarkdown(rows) : asText(rows, 1)}`);
  console.log(`\n${opened.name}: medians of ${rounds} rounds`);
  print(growthTable(measured, growth));
  print(rateTable(measured, commits.times.samples));
  for (const scan of await stores.at(-1).scans(sizes.at(-1))) console.log(`\nWhole table: ${scan}`);
  if (hasHeap) {
    const bytes = await benches.at(-1).heapPerRun(HEAP_RUNS, heapUsed);
    console.log(`\n${bytes.toFixed(0)} bytes of heap stay in use per parked run`);
  }
  for (const store of stores) await store.close();
  return growth.every(({ isFlat }) => isFlat);
}

/** Executes one operation of each bench in turn, so that the load of the machine affects all of them. */
async function takeTurns(benches) {
  let rounds = benches.map((bench) => bench.round());
  while (rounds.length > 0) {
    const left = [];
    for (const round of rounds) if (!(await round.next()).done) left.push(round);
    rounds = left;
  }
}
