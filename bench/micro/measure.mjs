/**
 * Measures one micro-benchmark in a separate process: `measure.mjs time|allocations name budget`.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { printResult } from '../harness/print-result.mjs';
import { FEATURES } from './features.mjs';
import { HOT_PATHS } from './hot-paths.mjs';

const [what, name, budgetText] = process.argv.slice(2);
const budget = Number(budgetText);
const { make, operations = 1 } = [...HOT_PATHS, ...FEATURES].find((one) => one.name === name);
const once = await make();

await repeatFor(budget);
printResult(what === 'time' ? await time() : { bytes: await allocations() });

async function time() {
  const cpu = process.cpuUsage();
  const times = await repeatFor(budget);
  const { user, system } = process.cpuUsage(cpu);
  return { ns: ((user + system) * 1000) / (times * operations) };
}

/**
 * Returns the growth of the heap per operation.
 *
 * The process runs with a young generation that is large enough for a round. A round with a collection
 * does not count, and the next one is half as long.
 */
async function allocations() {
  const collections = collectionCounter();
  for (let times = 256; times >= 1; times = times >> 1) {
    globalThis.gc();
    await collections.since();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < times; i++) await once();
    const after = process.memoryUsage().heapUsed;
    if ((await collections.since()) === 0) return (after - before) / (times * operations);
  }
  return undefined;
}

/** Counts garbage collections, which are reported with a delay. */
function collectionCounter() {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    count += list.getEntries().length;
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    async since() {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const counted = count;
      count = 0;
      return counted;
    },
  };
}

async function repeatFor(ms) {
  const start = performance.now();
  let times = 0;
  do {
    await once();
    times++;
  } while (performance.now() - start < ms);
  return times;
}
