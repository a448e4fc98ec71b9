import { type Desk, openDesk, postgresStore } from '@holdpoint/desk';
import { Agent, UnexpectedModelBehavior } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { latch } from '../../../core/test/support/latch.ts';
import { type Bank, book, newBank, output } from '../support/bank.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

/** A clock that waits while the test holds an advisory lock. */
const WAITING_CLOCK = `create schema held;
  create function held.clock_timestamp() returns timestamptz language plpgsql volatile as $$
  begin
    perform pg_catalog.pg_advisory_xact_lock_shared(1);
    return pg_catalog.clock_timestamp();
  end $$`;

let server: PostgresServer;
const pools: Pool[] = [];
const desks: Desk[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
  for (const pool of pools.splice(0)) await pool.end();
});
afterAll(() => server[Symbol.asyncDispose]());

function newPool(url: string, searchPath = 'public'): Pool {
  const pool = poolFor(url, { options: `-c search_path=${searchPath}` });
  pools.push(pool);
  return pool;
}

async function openProcess(
  pool: Pool,
  bank: Bank,
  beforeResponse: () => Promise<void> = async () => {},
): Promise<Desk> {
  const model = functionModel(async ({ messages }) => {
    await beforeResponse();
    const isBooking = messages.length === 1 && JSON.stringify(messages).includes('book');
    return isBooking ? calls('book', { to: 'x' }) : says('Booked.');
  });
  const agent = new Agent({ name: 'teller', model, tools: [book], output });
  const store = await postgresStore({ pool });
  const desk = openDesk({ store, agents: { teller: { agent, deps: () => bank } }, lease: 60_000 });
  desks.push(desk);
  return desk;
}

it('a worker whose claim began before the last commit of the previous worker does not repeat its calls', async () => {
  const url = await server.newDatabase();
  const admin = newPool(url);
  await admin.query(WAITING_CLOCK);
  const response = latch();
  const payment = latch();
  const paying = latch();
  const firstBank = newBank(async () => {
    paying.open();
    await payment.opened;
  });
  const otherBank = newBank();
  const first = await openProcess(newPool(url), firstBank, () => response.opened);
  const other = await openProcess(newPool(url, 'public,held,pg_catalog'), otherBank);

  // The first worker has claimed the run, and its lease ends while the model responds.
  const runId = await first.start('teller', 'book x');
  const firstDrain = first.drain();
  await vi.waitFor(async () => expect((await first.run(runId)).state).toBe('running'));
  await admin.query(`update desk_tasks set due = 0 where kind = 'run'`);

  // The other worker begins its claim. The first one starts its call before the claim is made.
  const lock = await admin.connect();
  await lock.query('select pg_advisory_lock(1)');
  const otherDrain = other.drain();
  await vi.waitFor(async () => {
    const { rows } = await admin.query(`select query from pg_stat_activity a
      join pg_locks l using (pid) where l.locktype = 'advisory' and not l.granted`);
    // The server shows the first 1,024 characters of a statement. Only a claim reads the tasks that are due.
    expect(rows).toEqual([{ query: expect.stringContaining('from desk_tasks t') }]);
  });
  response.open();
  await paying.opened;
  await lock.query('select pg_advisory_unlock(1)');
  lock.release();

  await vi.waitFor(async () => {
    const { rows } = await admin.query(`select fence from desk_tasks where kind = 'run'`);
    expect(rows).toEqual([{ fence: expect.toSatisfy((fence) => Number(fence) === 2) }]);
  });
  payment.open();
  await Promise.all([firstDrain, otherDrain]);
  await vi.waitFor(async () => expect((await other.run(runId)).state).toBe('finished'));
  expect([...firstBank.paid, ...otherBank.paid].map(({ to }) => to)).toEqual(['x']);
});

it.each([
  ['finish', async () => {}, 'finished'],
  [
    'fail',
    async () => {
      throw new UnexpectedModelBehavior('The response is no response.');
    },
    'failed',
  ],
] as const)('a worker that has lost its claim cannot %s the run', async (_end, respond, end) => {
  const url = await server.newDatabase();
  const admin = newPool(url);
  const [response, otherResponse, otherRequest] = [latch(), latch(), latch()];
  const first = await openProcess(newPool(url), newBank(), async () => {
    await response.opened;
    await respond();
  });
  const other = await openProcess(newPool(url), newBank(), async () => {
    otherRequest.open();
    await otherResponse.opened;
  });
  const runId = await first.start('teller', 'Hello');
  const firstDrain = first.drain();
  await vi.waitFor(async () => expect((await first.run(runId)).state).toBe('running'));

  // The lease of the first worker ends, and the other one takes the run over.
  await admin.query(`update desk_tasks set due = 0 where kind = 'run'`);
  const otherDrain = other.drain();
  await otherRequest.opened;
  response.open();
  await firstDrain;

  expect((await other.run(runId)).state, `not ${end}`).toBe('running');
  otherResponse.open();
  await otherDrain;
  expect(await other.run(runId)).toMatchObject({ state: 'finished', output: 'Booked.' });
  const kinds = (await other.audit(runId)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => /finished|failed/.test(kind))).toEqual(['run-finished']);
});
