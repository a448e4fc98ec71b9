/** W6: measures the import of zod, and then of an adapter's package, in a separate process. */
import { ADAPTERS } from '../adapters/registry.mjs';
import { printResult } from './print-result.mjs';

const { imports } = ADAPTERS[process.argv[2]];

const zod = await timeOf(['zod']);
const onTop = await timeOf(imports);
printResult({
  importMs: zod.wallMs + onTop.wallMs,
  importCpuMs: zod.cpuMs + onTop.cpuMs,
  onTopMs: onTop.wallMs,
  onTopCpuMs: onTop.cpuMs,
  rssMb: process.memoryUsage().rss / 2 ** 20,
});

async function timeOf(names) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  for (const name of names) await import(name);
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - start, cpuMs: (user + system) / 1000 };
}
