import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Desk,
  exportAudit,
  openDesk,
  postgresStore,
  sqliteStore,
  type Store,
  verifyAudit,
} from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const CONVERSATIONS = 12;
const ROUNDS = 3;
const TENANT = 'default';

let folder: string;
let files = 0;
let server: PostgresServer;

beforeAll(async () => {
  folder = scratchFolder('retention');
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const openers: readonly (readonly [string, () => Promise<Store>])[] = [
  ['SQLite', () => sqliteStore({ path: join(folder, `desk-${++files}.sqlite`) })],
  [
    'PostgreSQL',
    async () => postgresStore({ pool: poolFor(await server.newDatabase(), { max: 10 }) }),
  ],
];

/** Starts a run in a conversation, waits until it is parked, approves its call, and waits until it has ended. */
async function payInTurn(desk: Desk, conversationId: string, round: number): Promise<void> {
  const prompt = `pay c${conversationId}r${round}`;
  const requester = { id: `requester-${conversationId}` };
  const runId = await desk.start('teller', prompt, { conversationId, requester });
  const parked = await desk.waitFor(runId, { timeoutMs: 60_000 });
  expect(parked.state).toBe('parked');
  // Several retention passes run while the run is parked.
  await sleep(20);
  const { items } = await desk.holds({ runId });
  expect(items).toHaveLength(1);
  for (const { id, digest } of items) {
    await desk.decide(id, { kind: 'approve' }, { by: { id: 'ada' }, digest });
  }
  await expect
    .poll(async () => (await desk.run(runId)).state, { timeout: 60_000 })
    .toBe('finished');
}

describe.each(openers)('retention under load, in %s', (_, open) => {
  it('deletes nothing pending, executes each call once, and keeps the audit verifiable', async () => {
    await using store = await open();
    const bank = newBank();
    const desk = openDesk({
      store,
      agents: { teller: { agent: teller, deps: () => bank } },
      // Everything that has ended is old enough.
      retention: { messages: 1, holds: 1, runs: 5, events: 5, deliveries: 5, tokens: 1 },
    });
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, concurrency: 4, pollMs: 20 });
    let erased = 0;
    const retaining = (async () => {
      while (!stop.signal.aborted) {
        erased += (await desk.applyRetention()).runs;
        await sleep(5);
      }
    })();

    await Promise.all(
      Array.from({ length: CONVERSATIONS }, async (_unused, index) => {
        for (let round = 0; round < ROUNDS; round++) await payInTurn(desk, String(index), round);
      }),
    );
    await sleep(20);
    stop.abort();
    await Promise.all([working, retaining]);
    erased += (await desk.applyRetention()).runs;

    const paid = bank.paid.map(({ to }) => to);
    expect(new Set(paid).size).toBe(CONVERSATIONS * ROUNDS);
    expect(paid).toHaveLength(CONVERSATIONS * ROUNDS);
    expect(erased).toBe(CONVERSATIONS * ROUNDS);
    expect((await desk.runs()).items).toEqual([]);
    const entries = exportAudit(store, { tenant: TENANT });
    expect(await verifyAudit({ tenant: TENANT, entries })).toMatchObject({
      status: 'intact',
      runs: CONVERSATIONS * ROUNDS,
    });
  });

  it('erases people while runs park, are decided and resume', async () => {
    await using store = await open();
    const bank = newBank();
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, concurrency: 4, pollMs: 20 });
    const options = { by: { id: 'root' }, reason: 'load' };
    const erasing = (async () => {
      while (!stop.signal.aborted) {
        await desk.erasePerson('requester-0', options);
        await desk.erasePerson('ada', options);
        await sleep(5);
      }
    })();

    await Promise.all(
      Array.from({ length: 6 }, async (_unused, index) => {
        for (let round = 0; round < ROUNDS; round++) await payInTurn(desk, String(index), round);
      }),
    );
    stop.abort();
    await Promise.all([working, erasing]);
    for (const person of ['requester-0', 'ada']) {
      expect(await desk.erasePerson(person, options)).toMatchObject({ pendingRuns: [] });
    }

    expect(bank.paid).toHaveLength(6 * ROUNDS);
    expect(new Set(bank.paid.map(({ to }) => to)).size).toBe(6 * ROUNDS);
    expect(await desk.history('0')).toEqual([]);
    expect(await desk.history('1')).not.toEqual([]);
    const { items } = await desk.runs({ includeErased: true, limit: 500 });
    const audits = await Promise.all(items.map(({ id }) => desk.audit(id)));
    expect(JSON.stringify([items, audits])).not.toMatch(/"ada"|requester-0/);
    const report = await verifyAudit({
      tenant: TENANT,
      entries: exportAudit(store, { tenant: TENANT }),
    });
    expect(report.problems).toEqual([]);
  });
});
