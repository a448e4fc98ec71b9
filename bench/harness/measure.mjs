/** Measures one adapter in one case, in a separate process, and prints one line of JSON. */
import { makeParkingAgent, WORKLOADS } from '../workloads/workloads.mjs';
import { printResult } from './print-result.mjs';

const [adapterName, workload, parametersJson, budgetText] = process.argv.slice(2);
const parameters = JSON.parse(parametersJson);
const budget = Number(budgetText);
const adapter = await import(`../adapters/${adapterName}.mjs`);

printResult(workload === 'w5' ? await parked(parameters) : await timed(WORKLOADS[workload]));

async function timed({ needs = ['run'], make }) {
  const needed = typeof needs === 'function' ? needs(parameters) : needs;
  const missing = needed.filter((name) => !adapter[name]);
  if (missing.length > 0) return { unsupported: missing.join(',') };
  const job = await make(adapter, parameters);
  const start = performance.now();
  await job.once(); // Also the measurement without a warm-up.
  const firstMs = performance.now() - start;
  await settled();
  // If one repetition takes much longer than the budget, skip the warm-up.
  if (firstMs <= 4 * budget) await repeat(job, 4 * budget);
  const { cpuMs, wallMs, times } = await repeat(job, budget);
  const units = times * job.units;
  return {
    cpuUs: (cpuMs * 1000) / units,
    wallUs: (wallMs * 1000) / units,
    times,
    firstMs,
    ...job.info,
  };
}

/**
 * Repeats until the process has used `forMs` of CPU time. By the clock, a busy machine would
 * measure too few repetitions.
 */
async function repeat(job, forMs) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  let times = 0;
  let cpuMs = 0;
  do {
    // Reading the CPU time costs as much as a small round trip.
    const until = performance.now() + 5;
    do {
      await job.once();
      times++;
    } while (performance.now() < until);
    const { user, system } = process.cpuUsage(cpu);
    cpuMs = (user + system) / 1000;
  } while (cpuMs < forMs);
  return { cpuMs, wallMs: performance.now() - start, times };
}

/** W5: holds many parked runs, as text or in the form that the adapter keeps in memory. */
async function parked({ runs, form }) {
  const hold = form === 'live' ? adapter.park : adapter.pause;
  if (!hold) return { unsupported: form };
  const agent = await makeParkingAgent(adapter);
  for (let i = 0; i < 50; i++) await hold(agent, { prompt: 'Go.' });
  await settled();
  await collectGarbage();
  const before = process.memoryUsage();
  const held = Array.from({ length: runs });
  // The global keeps the adapter's store reachable until it is measured.
  globalThis.keep = { held, agent };
  for (let i = 0; i < runs; i++) held[i] = await hold(agent, { prompt: 'Go.' });
  await collectGarbage();
  const after = process.memoryUsage();
  const perRun = (kind) => (after[kind] - before[kind]) / runs;
  return { heapPerRun: perRun('heapUsed') + perRun('external'), rssPerRun: perRun('rss') };
}

/** Waits for adapters whose start-up continues in timers. */
async function settled() {
  if (adapter.settleMs) await pause(adapter.settleMs);
}

async function collectGarbage() {
  for (let i = 0; i < 5; i++) {
    globalThis.gc();
    await pause(30);
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
