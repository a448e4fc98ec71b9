/**
 * A turn of one contestant, in its own process: opens it, warms it up, executes batches of runs for some time
 * and prints the figures per run. The setup is an argument, as JSON.
 */
import { Client } from 'pg';
import { printResult } from '../../harness/print-result.mjs';
import { cpuMsOfTree } from '../servers/cpu-time.mjs';

const setup = JSON.parse(process.argv[2]);
const { open } = await import(`./contestants/${setup.contestant}.mjs`);
const contestant = await open(setup);
let batches = 0;

const { warmUp, measured } = setup;
await batchesFor(warmUp);
await analyze();
printResult(figuresOf(await batchesFor(measured)));

/**
 * Updates the statistics of the planner, as PostgreSQL does about once a minute. Without them it takes the tables to be
 * empty, because they were when the turn began.
 */
async function analyze() {
  if (setup.url === undefined) return;
  const client = new Client(setup.url);
  await client.connect();
  await client.query('analyze');
  await client.end();
}

/** Executes batches until they have taken `ms` milliseconds and contained `minRuns` runs. */
async function batchesFor({ ms, minRuns, ...size }) {
  const all = [];
  const start = performance.now();
  do all.push(await batch(size));
  while (performance.now() - start < ms || all.length * size.runs < minRuns);
  return all;
}

/** Executes the phases of a batch one after the other, and verifies that each `refund` executed once. */
async function batch({ runs, concurrency }) {
  batches += 1;
  const orders = Array.from({ length: runs }, (_, index) => `${setup.turn}-${batches}-${index}`);
  const park = await timed(() => contestant.park(orders, concurrency));
  await contestant.prepareDecisions?.(orders);
  const decision = await timed(() => contestant.decide(orders, concurrency));
  const resume = await timed(() => contestant.resume(orders, concurrency));
  await contestant.verify(orders);
  return { park, decision, resume };
}

async function timed(work) {
  const serverMs = serverCpuMs();
  const client = process.cpuUsage();
  const start = performance.now();
  await work();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(client);
  return { wallMs, clientMs: (user + system) / 1_000, serverMs: serverCpuMs() - serverMs };
}

function serverCpuMs() {
  return (setup.serverPids ?? []).reduce((sum, pid) => sum + cpuMsOfTree(pid), 0);
}

function figuresOf(all) {
  const runs = all.length * measured.runs;
  const perRun = (field, ...phases) =>
    all
      .flatMap((one) => phases.map((phase) => one[phase][field]))
      .reduce((sum, ms) => sum + ms / runs, 0);
  const every = ['park', 'decision', 'resume'];
  const [clientMs, serverMs] = ['clientMs', 'serverMs'].map((field) => perRun(field, ...every));
  return {
    runs,
    parkMs: perRun('wallMs', 'park'),
    decisionMs: perRun('wallMs', 'decision'),
    resumeMs: perRun('wallMs', 'resume'),
    wallMs: perRun('wallMs', ...every),
    clientMs,
    serverMs,
    cpuMs: clientMs + serverMs,
  };
}
