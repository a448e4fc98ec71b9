import { setTimeout as sleep } from 'node:timers/promises';
import { type Desk, openDesk, postgresStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { type Bank, newBank, teller } from '../support/bank.ts';
import { faultInjectingStore } from './support/crash/fault-injecting-store.ts';
import type { Point } from './support/crash/fault.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

const POINTS = ['start', 'claim', 'call', 'settle', 'park', 'decision', 'finish'] as const;
/** A restart takes seconds, so fewer transitions are interrupted by one in CI. */
const KILLED_POINTS = SOAK_TIMES > 1 ? POINTS : (['call', 'decision'] as const);
const LEASE_MS = 800;
/** The server is paused for longer than a lease. */
const PAUSE_MS = 1_000;
const DEADLINE_MS = 60_000;
const PROMPT = 'book x, pay a, pay b';
/** The times between the interruption and the statement that commits, in milliseconds. */
const LEADS_MS = SOAK_TIMES > 1 ? [0, 1, 3] : [0];

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

describe('a PostgreSQL server', () => {
  for (const lead of LEADS_MS) {
    it.each(POINTS)(
      `that is paused during the transition \`%s\`, after ${lead} ms, loses and repeats nothing`,
      { timeout: DEADLINE_MS * 2 },
      (point) =>
        interruptAt(point, lead, async () => {
          server.pause();
          await sleep(PAUSE_MS);
          server.resume();
        }),
    );

    it.each(KILLED_POINTS)(
      `that is killed during the transition \`%s\`, after ${lead} ms, loses and repeats nothing`,
      { timeout: DEADLINE_MS * 2 },
      (point) =>
        interruptAt(point, lead, async () => {
          server.kill();
          await server.recover();
        }),
    );
  }
});

/** Executes a run, and interrupts the server when a transaction is about to commit its first change of this kind. */
async function interruptAt(
  point: Point,
  lead: number,
  interrupt: () => Promise<void>,
): Promise<void> {
  const url = await server.newDatabase();
  const bank = newBank();
  let interruption: Promise<void> | undefined;
  const begin = () => (lead === 0 ? interrupt() : sleep(lead).then(interrupt));
  const faults = {
    transact: <Result>(work: () => Promise<Result>) => work(),
    inside(reached: Point) {
      if (reached === point) interruption ??= begin();
    },
    outside: async () => {},
  };
  const desks: Desk[] = [];
  const pools = [poolFor(url), poolFor(url)];
  for (const pool of pools) {
    const store = faultInjectingStore(await postgresStore({ pool, onError() {} }), faults);
    const agents = { teller: { agent: teller, deps: () => bank } };
    desks.push(openDesk({ store, agents, lease: LEASE_MS, maxAttempts: 100, onError() {} }));
  }
  const [desk, other] = desks as [Desk, Desk];
  const stop = new AbortController();
  const working = desks.map((one) => one.startWorker({ signal: stop.signal, pollMs: 50 }));

  const runId = await again(() => desk.start('teller', PROMPT, { idempotencyKey: 'k' }));
  const acknowledged = await decideUntilFinished(other, bank, runId);
  await interruption;

  expect(interruption, `No transaction reached \`${point}\`.`).toBeDefined();
  expect((await again(() => desk.runs())).items).toHaveLength(1);
  const paid = bank.paid.map(({ to }) => to).toSorted();
  expect(paid, await historyOf(desk, runId, bank)).toEqual(['a', 'b', 'x']);
  await expectAcknowledged(desk, runId, acknowledged);
  stop.abort();
  await Promise.all(working);
  for (const one of desks) await one.close();
  for (const pool of pools) await pool.end();
}

/** Returns the payments and the audit of a run, for the message of a failed assertion. */
async function historyOf(desk: Desk, runId: string, bank: Bank): Promise<string> {
  const audit = await again(() => desk.audit(runId));
  const entries = audit.map(({ at, kind, data }) => `${at} ${kind} ${JSON.stringify(data)}`);
  return [...bank.paid.map((one) => JSON.stringify(one)), ...entries].join('\n');
}

/** Decides every hold until the run has finished. Returns the holds whose decision was acknowledged. */
async function decideUntilFinished(
  desk: Desk,
  bank: Bank,
  runId: string,
): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  const deadline = Date.now() + DEADLINE_MS;
  while ((await again(() => desk.run(runId))).state !== 'finished') {
    if (Date.now() > deadline) throw new Error(`The run is ${(await desk.run(runId)).state}.`);
    for (const { id, digest, args, inDoubt } of (await again(() => desk.holds({ runId }))).items) {
      // The arguments of all calls of the teller have this member.
      const { to } = args as { readonly to: string };
      const hasRun = inDoubt !== undefined && bank.paid.some((one) => one.to === to);
      const decision = hasRun
        ? ({ kind: 'result', value: 'It has executed.' } as const)
        : ({ kind: 'approve' } as const);
      const decided = desk.decide(id, decision, { by: { id: 'grace' }, digest });
      await decided.then(
        () => acknowledged.push(id),
        () => {},
      );
    }
    await sleep(20);
  }
  return acknowledged;
}

/** Verifies that every acknowledged decision is stored, and that the audit has no gap. */
async function expectAcknowledged(
  desk: Desk,
  runId: string,
  acknowledged: readonly string[],
): Promise<void> {
  for (const holdId of acknowledged) {
    expect((await again(() => desk.hold(holdId))).decisions).not.toEqual([]);
  }
  const audit = await again(() => desk.audit(runId));
  expect(audit.map(({ previous }) => previous)).toEqual([
    '',
    ...audit.slice(0, -1).map(({ hash }) => hash),
  ]);
}

/** Repeats a call while the server cannot be reached. */
async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(50);
  }
}
