import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runNode } from '../support/run-program.ts';
import type { ProbeOptions, ProbeReport } from './signal-leak/probe.ts';

/** The bytes by which the heap may grow in all runs together: less than 30 for each of 80,000. */
const TOLERANCE = 2_000_000;

const program = fileURLToPath(new URL('./signal-leak/probe.ts', import.meta.url));

async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const printed = await runNode([
    '--expose-gc',
    '--conditions=holdpoint-source',
    '--disable-warning=ExperimentalWarning',
    program,
    JSON.stringify(options),
  ]);
  return JSON.parse(printed);
}

describe('a signal that outlives many runs', () => {
  it('has no listeners left after 100,000 runs', async ({ annotate }) => {
    const report = await probe({ runs: 100_000, warmUp: 20_000, leak: false });
    await annotate(`the heap grew by ${report.heapGrowth} bytes`);

    expect(report.ended).toEqual({ finished: 54_545, failed: 18_182, broken: 27_273 });
    expect(report.maxListeners).toBe(1);
    expect(report.listeners).toBe(0);
    expect(report.heapGrowth).toBeLessThan(TOLERANCE);
  });
});

describe('the measurement', () => {
  it('detects runs that each leak a listener', async ({ annotate }) => {
    const report = await probe({ runs: 5_000, warmUp: 1_000, leak: true });
    await annotate(`the heap grew by ${report.heapGrowth} bytes`);

    expect(report.listeners).toBe(5_000);
    expect(report.heapGrowth).toBeGreaterThan(TOLERANCE);
  });
});
