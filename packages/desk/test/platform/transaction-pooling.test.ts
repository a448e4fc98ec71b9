import { openDesk, postgresStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';
import { TransactionPooler } from './support/transaction-pooler.ts';

const RUNS = 10;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each([
  ['that tracks prepared statements', { tracksStatements: true, preparedStatements: true }],
  [
    'that does not, without prepared statements',
    {
      tracksStatements: false,
      preparedStatements: false,
    },
  ],
])('a pooler in transaction mode %s', (_, { tracksStatements, preparedStatements }) => {
  it('serves two processes of a desk with three connections', async () => {
    const direct = await server.newDatabase();
    const options = { target: server.port, max: 3, tracksStatements };
    await using pooler = await new TransactionPooler(options).open();
    const url = new URL(direct);
    url.port = String(pooler.port);
    const bank = newBank();
    const problems: unknown[] = [];
    const open = async () => {
      const pool = poolFor(url.href, { max: 5 });
      const store = await postgresStore({ pool, preparedStatements });
      const desk = openDesk({
        store,
        agents: { teller: { agent: teller, deps: () => bank } },
        lease: 3_000,
        onError: (error) => problems.push(error),
      });
      const close = async () => {
        await desk.close();
        await pool.end();
      };
      return { desk, [Symbol.asyncDispose]: close };
    };
    await using one = await open();
    await using other = await open();
    const stop = new AbortController();
    const working = [one, other].map(({ desk }) =>
      desk.startWorker({ signal: stop.signal, pollMs: 200 }),
    );

    const payThrough = async (index: number) => {
      const runId = await one.desk.start('teller', `pay person${index}`);
      expect(await other.desk.waitFor(runId, { timeoutMs: 20_000 })).toMatchObject({
        state: 'parked',
      });
      const [hold] = (await other.desk.holds({ runId })).items;
      const { id = '', digest = '' } = hold ?? {};
      await other.desk.decide(id, { kind: 'approve' }, { by: { id: 'ada' }, digest });
      await expect
        .poll(async () => (await one.desk.run(runId)).state, { timeout: 20_000 })
        .toBe('finished');
    };
    await Promise.all(Array.from({ length: RUNS }, (_run, index) => payThrough(index)));

    stop.abort();
    await Promise.all(working);
    expect(bank.paid).toHaveLength(RUNS);
    expect(problems).toEqual([]);
    expect(pooler.moves).toBeGreaterThan(RUNS);
  });
});
