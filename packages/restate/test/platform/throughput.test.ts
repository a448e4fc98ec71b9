import { type Desk, openDesk, postgresStore } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PostgresServer } from '../../../desk/test/platform/support/postgres-server.ts';
import { serveDesk } from '../../src/index.ts';
import { RestateServer } from '../support/restate-server.ts';
import { until } from '../support/until.ts';

const isSoak = process.env['SOAK_TIMES'] !== undefined;
const ROUNDS = 5;
const BATCH = 64;
const CONCURRENCY = 16;

/** The workload W8 of `bench/`: one call executes at once, one needs approval, and the run ends with a text. */
function w8Agent(counts: Map<string, number>) {
  const lookup = tool({
    name: 'lookup',
    inputSchema: z.object({ order: z.string() }),
    execute: ({ order }) => `Order ${order} was delivered.`,
  });
  const refund = tool({
    name: 'refund',
    inputSchema: z.object({ order: z.string() }),
    requiresApproval: true,
    execute: ({ order }) => {
      counts.set(order, (counts.get(order) ?? 0) + 1);
      return `Order ${order} was refunded.`;
    },
  });
  const model = functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind !== 'user-prompt') return says('Done.');
    const order = String(last.content);
    return responds(calls('lookup', { order }), calls('refund', { order }));
  });
  return new Agent({ model, tools: [lookup, refund], output: [String, DeferredToolRequests] });
}

async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<unknown>) {
  for (let at = 0; at < items.length; at += CONCURRENCY) {
    await Promise.all(items.slice(at, at + CONCURRENCY).map(work));
  }
}

/** Executes a batch of runs with an approval each; returns the runs per second. */
async function measure(desk: Desk, names: readonly string[]): Promise<number> {
  const since = performance.now();
  await inGroups(names, (name) => desk.start('clerk', name));
  await allIn(desk, ['ready', 'running']);
  for (let page = await desk.holds({ limit: 500 }); page.items.length > 0; ) {
    await inGroups(page.items, ({ id, digest }) =>
      desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest }),
    );
    page = await desk.holds({ limit: 500 });
  }
  await allIn(desk, ['ready', 'running', 'parked']);
  return (names.length / (performance.now() - since)) * 1_000;
}

async function allIn(desk: Desk, left: readonly ('ready' | 'running' | 'parked')[]): Promise<void> {
  await until(
    async () =>
      (await desk.runs({ states: left, limit: 1 })).items.length === 0 ? true : undefined,
    60,
  );
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

describe.runIf(isSoak)('throughput of W8 with an engine', () => {
  it('is within 1.3x of the built-in worker', { timeout: 300_000 }, async () => {
    await using postgres = await PostgresServer.start();
    await using server = await RestateServer.start();
    const open = async () => {
      const pool = new Pool({ connectionString: await postgres.newDatabase(), max: 20 });
      const counts = new Map<string, number>();
      const store = await postgresStore({ pool });
      const desk = openDesk({ store, agents: { clerk: { agent: w8Agent(counts) } } });
      return { desk: desk as unknown as Desk, counts, pool };
    };
    const worker = await open();
    void worker.desk.startWorker({ concurrency: CONCURRENCY });
    const engine = await open();
    const served = serveDesk(engine.desk, {
      ingress: server.ingress,
      concurrency: CONCURRENCY,
      logger: () => {},
    });
    await server.register(`http://127.0.0.1:${await served.listen(0)}`);

    const rates: { worker: number; engine: number }[] = [];
    // The first round warms both up.
    for (let round = 0; round <= ROUNDS; round++) {
      const names = Array.from({ length: BATCH }, (_, index) => `o${round}-${index}`);
      const rate = {
        worker: await measure(worker.desk, names),
        engine: await measure(engine.desk, names),
      };
      if (round > 0) rates.push(rate);
    }
    await served.close();
    await engine.desk.close();
    await worker.desk.close();
    await engine.pool.end();
    await worker.pool.end();

    const ratio = median(rates.map((rate) => rate.worker / rate.engine));
    const shown = rates.map((rate) => `${rate.worker.toFixed(0)}/${rate.engine.toFixed(0)}`);
    console.log(
      `Runs per second, worker/engine: ${shown.join(', ')}; median ratio ${ratio.toFixed(2)}`,
    );
    for (const { counts } of [worker, engine]) {
      expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
      expect(counts.size).toBe(BATCH * (ROUNDS + 1));
    }
    expect(ratio).toBeLessThan(1.3);
  });
});
