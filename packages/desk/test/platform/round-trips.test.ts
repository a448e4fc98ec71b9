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

    // Both drains end with a claim that finds no task.
    expect(phases).toEqual({ start: 1, 'until parked': 5, decision: 1, 'until finished': 5 });
    await desk.close();
    await counting.pool.end();
  });
});

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
