import { type Desk, openDesk, postgresStore } from '@holdpoint/desk';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dbosEngine, performWithDbos } from '../../../../examples/dbos-engine/dbos-engine.ts';
import { type Bank, newBank, teller } from '../support/bank.ts';
import { decide, onlyHold } from '../support/people.ts';
import { PostgresServer } from './support/postgres-server.ts';

describe('the engine on DBOS', () => {
  let server: PostgresServer;
  let pool: Pool;
  let bank: Bank;
  let desk: Desk;
  let performer: AsyncDisposable;
  let engine: Awaited<ReturnType<typeof dbosEngine>>;

  beforeAll(async () => {
    server = await PostgresServer.start();
    pool = new Pool({ connectionString: await server.newDatabase(), max: 10 });
    const url = await server.newDatabase();
    bank = newBank();
    const agents = { teller: { agent: teller, deps: () => bank } };
    const store = await postgresStore({ pool });
    desk = openDesk({ store, agents, expiresAfter: 60_000 });
    performer = await performWithDbos(desk, url);
    engine = await dbosEngine(url);
    desk.useEngine(engine);
    void desk.startSweep({ everyMs: 500 });
  });

  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await performer[Symbol.asyncDispose]();
    await desk.close();
    await pool.end();
    await server[Symbol.asyncDispose]();
  });

  it('executes runs, and resumes them after a decision', async () => {
    const runId = await desk.start('teller', 'pay a, book b');
    expect((await desk.waitFor(runId, { timeoutMs: 20_000 })).state).toBe('parked');
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    expect((await desk.waitFor(runId, { timeoutMs: 20_000 })).state).toBe('finished');

    expect(bank.paid.map(({ to }) => to).toSorted()).toEqual(['a', 'b']);
  });

  it('executes many runs once each', async () => {
    bank.paid.splice(0);
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const ids = await Promise.all(names.map((name) => desk.start('teller', `book ${name}`)));
    for (const runId of ids) {
      expect((await desk.waitFor(runId, { timeoutMs: 20_000 })).state).toBe('finished');
    }

    expect(bank.paid.map(({ to }) => to).toSorted()).toEqual(names.toSorted());
  });
});
