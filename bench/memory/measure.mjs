/** Measures one scenario in a separate process: `measure.mjs scenario runs rounds`. */
import { printResult } from '../harness/print-result.mjs';
import { SCENARIOS } from './scenarios.mjs';

const [name, runsText, roundsText] = process.argv.slice(2);
const runs = Number(runsText);
const scenario = SCENARIOS[name](runs);

// The first round creates compiled code, pools and the caches of the agent.
await allAtOnce();
const heaps = [await heap()];
let peak = 0;
for (let round = 0; round < Number(roundsText); round++) {
  peak = Math.max(peak, await allAtOnce());
  heaps.push(await heap());
}
printResult({ heaps, peak });

/**
 * Starts all runs before the first can end. Returns the heap size while all of them are unfinished.
 */
async function allAtOnce() {
  const { promise: released, resolve: release } = Promise.withResolvers();
  const { promise: full, resolve: allWait } = Promise.withResolvers();
  let waiting = 0;
  const wait = () => {
    waiting++;
    if (waiting === runs) allWait();
    return released;
  };
  const ended =
    scenario.startAll?.(wait) ??
    Promise.all(Array.from({ length: runs }, () => scenario.start(wait)));
  await Promise.race([full, ended]);
  if (waiting !== runs)
    throw new Error(`Only ${waiting} of ${runs} runs were unfinished at the same time.`);
  const highest = await heap();
  release();
  await ended;
  scenario.check?.();
  return highest;
}

async function heap() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
