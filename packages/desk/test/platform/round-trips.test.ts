import { openDesk, postgresStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CountingPool } from './support/counting-pool.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

describe('run on PostgreSQL with one approval', () => {
  it('needs few round trips', async () => {
    const counting = new CountingPool(poolFor(await server.newDatabase(), {}));
    const desk = openDesk({
      store: await postgresStore({ pool: counting.pool }),
      agents: { cashier: { agent: cashier() } },
    });
    const phases: Record<string, number> = {};
    for (let round = 0; round < 3; round++) {
      counting.take();
      const runId = await desk.start('cashier', 'Refund order 17', {
        requester: { id: 'ada' },
      });
      phases['start'] = counting.take().length;
      await desk.drain();
      phases['until parked'] = counting.take().length;
      const [hold] = (await desk.holds({ runId })).items;
      counting.take();
      await desk.decide(
        hold!.id,
        { kind: 'approve' },
        { by: { id: 'grace' }, digest: hold!.digest },
      );
      phases['decision'] = counting.take().length;
      await desk.drain();
      phases['until finished'] = counting.take().length;
      expect((await desk.run(runId)).state).toBe('finished');
    }

    // Both drains end with a claim that returns no task.
    expect(phases).toEqual({ start: 1, 'until parked': 5, decision: 1, 'until finished': 5 });
    await desk.close();
    await counting.pool.end();
  });
});

describe('statements of runs on PostgreSQL', () => {
  it('are planned a few times per connection, not with every execution', async () => {
    const pool = poolFor(await server.newDatabase(), { max: 2 });
    const desk = openDesk({
      store: await postgresStore({ pool }),
      agents: { cashier: { agent: cashier() } },
    });
    for (let round = 0; round < 12; round++) {
      const runId = await desk.start('cashier', 'Refund order 17', { requester: { id: 'ada' } });
      await desk.drain();
      const [hold] = (await desk.holds({ runId })).items;
      const { id, digest } = hold!;
      await desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
      await desk.drain();
    }
    // The other connection listens.
    const { rows: plans } = await pool.query<PlannedStatement>(
      `select statement, custom_plans::int, generic_plans::int from pg_prepared_statements
        where statement like 'with %'`,
    );

    // PostgreSQL plans a statement for its values five times, then once for all values if that costs as little.
    expect(plans.filter(({ custom_plans }) => custom_plans > 5)).toEqual([]);
    const claims = plans.filter(({ statement }) => statement.startsWith('with recursive'));
    expect(Math.max(...claims.map(({ generic_plans }) => generic_plans))).toBeGreaterThan(5);
    await desk.close();
    await pool.end();
  });
});

describe('batch of approved calls on PostgreSQL', () => {
  it('needs as many round trips as one call', async () => {
    const trips: Record<string, number> = {};
    for (const size of [1, 8, 32]) {
      const counting = new CountingPool(poolFor(await server.newDatabase(), {}));
      const store = await postgresStore({ pool: counting.pool });
      const desk = openDesk({ store, agents: { payer: { agent: payer(size) } } });
      const runId = await desk.start('payer', 'Pay all', { requester: { id: 'ada' } });
      counting.take();
      await desk.drain();
      const parked = counting.take().length;
      for (const { id, digest } of (await desk.holds({ runId })).items) {
        await desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
      }
      counting.take();
      await desk.drain();
      trips[`${size} calls`] = parked + counting.take().length;
      expect((await desk.run(runId)).state).toBe('finished');
      await desk.close();
      await counting.pool.end();
    }

    // The calls of a batch share the commits before and after their side effects.
    expect(trips).toEqual({ '1 calls': 8, '8 calls': 8, '32 calls': 8 });
  });
});

describe('requests to a desk on PostgreSQL', () => {
  it('need as many queries with 40 holds as with 4', async () => {
    const few = await queriesPerRequest(4);
    const many = await queriesPerRequest(40);

    expect(many).toEqual(few);
    expect(Object.keys(few).length).toBeGreaterThan(10);
  });
});

/** A statement that a connection has prepared, with the number of executions for each sort of plan. */
interface PlannedStatement {
  readonly statement: string;
  readonly custom_plans: number;
  readonly generic_plans: number;
}

/** Returns the number of statements of every `GET` request, at a desk with a policy, redaction and parked calls. */
async function queriesPerRequest(holds: number): Promise<Record<string, number>> {
  const counting = new CountingPool(poolFor(await server.newDatabase(), {}));
  const desk = openDesk({
    store: await postgresStore({ pool: counting.pool }),
    agents: { payer: { agent: payer(holds / 2) } },
    approvers: { roles: ['lead'] },
    mayDecide: () => true,
    redact: { pay: ['to'] },
    authorize: () => ({
      tenant: 'default',
      person: { id: 'grace' },
      roles: ['lead'],
      credential: 'token',
    }),
  });
  const runs = [
    await desk.start('payer', 'Pay all', { requester: { id: 'ada' } }),
    await desk.start('payer', 'Pay all', { requester: { id: 'ada' } }),
  ];
  await desk.drain();
  const { conversationId } = await desk.run(runs[0]!);
  const [hold] = (await desk.holds({ runId: runs[0] })).items;
  const values = { runId: runs[0]!, holdId: hold!.id, conversationId, grantId: 'none' };
  const queries: Record<string, number> = {};
  const lists = ['mine=true', 'text=pay', 'mine=true&text=pay', 'tool=pay&requester=ada'];
  const paths = [...(await readPaths(desk)), ...lists.map((query) => `/v1/holds?${query}`)];
  for (const path of paths) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof values) => values[name]);
    counting.take();
    const response = await desk.fetch(new Request(`http://localhost${url}`));
    await response.text();
    queries[`${path} ${response.status}`] = counting.take().length;
  }
  await desk.close();
  await counting.pool.end();
  return queries;
}

/** Returns the paths of all `GET` requests that end by themselves. */
async function readPaths(desk: { fetch(request: Request): Response | Promise<Response> }) {
  const response = await desk.fetch(new Request('http://localhost/v1/openapi.json'));
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(await response.json());
  return Object.keys(paths).filter((path) => 'get' in paths[path]! && path !== '/v1/events');
}

/** An agent whose model makes `count` calls that need approval. */
function payer(count: number): Agent {
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ to: z.string() }),
    requiresApproval: true,
    execute: ({ to }) => `Paid ${to}`,
  });
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
      ? responds(...Array.from({ length: count }, (_, index) => calls('pay', { to: `p${index}` })))
      : says('Done.'),
  );
  return new Agent({ model, tools: [pay] });
}

function cashier(): Agent {
  const lookUp = tool({
    name: 'look_up',
    inputSchema: z.object({ order: z.number() }),
    execute: ({ order }) => `Order ${order}: €40`,
  });
  const refund = tool({
    name: 'refund',
    inputSchema: z.object({ order: z.number() }),
    requiresApproval: true,
    execute: ({ order }) => `Order ${order} refunded`,
  });
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
      ? responds(calls('look_up', { order: 17 }), calls('refund', { order: 17 }))
      : says('Done.'),
  );
  return new Agent({ model, tools: [lookUp, refund] });
}
