import { exportAudit, type HoldRow, openDesk, postgresStore, verifyAudit } from '@holdpoint/desk';
import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { openGated } from '../support/gated-desk.ts';
import { CountingPool } from './support/counting-pool.ts';
import { useFreshDatabase } from './support/fresh-database.ts';

const ADA = { id: 'ada' };
const GRACE = { id: 'grace' };
const RUNS = 6;

const database = useFreshDatabase();

/** Opens a desk as another process would: it knows no rows of the others. */
async function openProcess() {
  const counting = new CountingPool(database.newPool());
  const bank = newBank();
  const store = await postgresStore({ pool: counting.pool });
  const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
  database.onClose(() => desk.close());
  return { desk, store, bank, counting };
}

/** Opens a connection that the desk does not use. It is closed first, because a desk may wait for its locks. */
async function newAdmin(): Promise<Client> {
  const admin = new Client(database.url);
  await admin.connect();
  database.onClose(() => admin.end());
  return admin;
}

type Process = Awaited<ReturnType<typeof openProcess>>;

/** Parks runs in a process, which knows their rows from then on. Returns their holds. */
async function park({ desk }: Process): Promise<readonly HoldRow[]> {
  const prompts = Array.from({ length: RUNS }, (_, index) => `pay ${index}`);
  await Promise.all(prompts.map((prompt) => desk.start('teller', prompt, { requester: ADA })));
  await Promise.all(prompts.map(() => desk.drain()));
  return (await desk.holds({})).items;
}

function approveAll({ desk }: Process, holds: readonly HoldRow[]) {
  return holds.map(({ id, digest }) => desk.decide(id, { kind: 'approve' }, { by: GRACE, digest }));
}

/** Executes all due runs concurrently. */
async function drain({ desk }: Process): Promise<void> {
  await Promise.all(Array.from({ length: RUNS }, () => desk.drain()));
}

describe('transactions about several runs on PostgreSQL', () => {
  it('share statements', async () => {
    const one = await openProcess();
    const holds = await park(one);
    one.counting.take();

    await Promise.all(approveAll(one, holds));
    expect(one.counting.take()).toHaveLength(1);
    await drain(one);

    // A claim, a started call, a settled call, the end, and a claim that returns no task.
    expect(one.counting.take().length).toBeLessThanOrEqual(5);
    expect(one.bank.paid).toHaveLength(RUNS);
    const { items } = await one.desk.runs({ states: ['finished'] });
    expect(items).toHaveLength(RUNS);
    const entries = exportAudit(one.store, { tenant: 'default' });
    expect(await verifyAudit({ tenant: 'default', entries })).toMatchObject({
      status: 'intact',
      runs: RUNS,
    });
  });

  it('succeed beside one whose rows another process has changed', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    const holds = await park(one);
    const cancelled = holds[2]!;
    await other.desk.cancel(cancelled.runId, { by: GRACE });

    const outcomes = await Promise.allSettled(approveAll(one, holds));

    for (const [index, outcome] of outcomes.entries()) {
      if (index === 2) expect(outcome).toMatchObject({ reason: { code: 'hold-settled' } });
      else expect(outcome.status).toBe('fulfilled');
    }
    await drain(one);
    expect(one.bank.paid).toHaveLength(RUNS - 1);
  });

  it('do not wait for one whose run another transaction has locked', async () => {
    const one = await openProcess();
    const holds = await park(one);
    const admin = await newAdmin();
    await admin.query('begin');
    await admin.query('select 1 from desk_runs where id = $1 for update', [holds[2]!.runId]);

    const decisions = approveAll(one, holds);
    const settled: number[] = [];
    for (const [index, decision] of decisions.entries()) {
      void decision.then(() => settled.push(index));
    }
    await vi.waitFor(() => expect(settled.toSorted()).toEqual([0, 1, 3, 4, 5]));
    await admin.query('commit');

    await Promise.all(decisions);
    expect(settled).toHaveLength(RUNS);
  });
});

describe('connections that are lost after a shared statement failed', () => {
  it('leave each transaction with an unknown outcome, and the process alive', async () => {
    const one = await openProcess();
    const holds = await park(one);
    const [admin, watcher] = [await newAdmin(), await newAdmin()];
    await admin.query('begin');
    await admin.query('select 1 from desk_runs for update');

    const decisions = Promise.allSettled(approveAll(one, holds));
    // The shared statement has failed, and each transaction waits alone.
    await vi.waitFor(async () => {
      const { rows } = await watcher.query(`select pid from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`);
      expect(rows).toHaveLength(RUNS);
    }, 8_000);
    await watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`);

    for (const outcome of await decisions) {
      expect(outcome).toMatchObject({ reason: { code: 'outcome-unknown' } });
    }
    await admin.query('commit');
    expect((await one.desk.holds({})).items).toHaveLength(RUNS);
  });
});

describe('claims of several slots on PostgreSQL', () => {
  it('give each task to one of them, in two processes', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    const holds = await park(one);
    await Promise.all(approveAll(one, holds));

    await Promise.all([drain(one), drain(other)]);

    expect([...one.bank.paid, ...other.bank.paid].map(({ to }) => to).toSorted()).toEqual(
      holds.map(({ args }) => Reflect.get(Object(args), 'to')).toSorted(),
    );
  });

  it('give every tenant its turn while several have a backlog', async () => {
    const store = await postgresStore({ pool: database.newPool() });
    const { desk, order, go } = openGated(store);
    database.onClose(() => desk.close());
    go.open();
    const tenants = ['a', 'b', 'c', 'd', 'e'];
    for (const tenant of tenants) {
      const starts = Array.from({ length: 24 }, () =>
        desk.forTenant(tenant).start('clerk', tenant),
      );
      await Promise.all(starts);
    }

    await Promise.all(Array.from({ length: 4 }, () => desk.drain()));

    expect(order).toHaveLength(120);
    for (const tenant of tenants) {
      expect(order.indexOf(tenant), `${tenant} in ${order.join('')}`).toBeLessThan(48);
    }
  });

  it('keep the limits of tenants and agents', async () => {
    const store = await postgresStore({ pool: database.newPool() });
    const { desk, executing, most, go } = openGated(store, ['slow', 'fast']);
    database.onClose(() => desk.close());
    for (const tenant of ['large', 'small']) {
      for (const agent of ['slow', 'fast']) {
        const starts = Array.from({ length: 4 }, () => desk.forTenant(tenant).start(agent, tenant));
        await Promise.all(starts);
      }
    }
    const stop = new AbortController();
    const limits = { maxRunsPerTenant: 3, maxRunsPerAgent: { slow: 1 } };
    const options = { signal: stop.signal, concurrency: 12, pollMs: 20 };
    const working = desk.startWorker({ ...options, ...limits });

    await vi.waitFor(() => {
      expect([executing.get('large'), executing.get('small')]).toEqual([3, 3]);
      expect(executing.get('agent slow')).toBe(1);
    });
    go.open();
    await vi.waitFor(async () => {
      const { items } = await desk.forTenant('large').runs({ states: ['finished'] });
      expect(items).toHaveLength(8);
    }, 8_000);
    stop.abort();
    await working;
    expect(most.get('large')).toBe(3);
    expect(most.get('agent slow')).toBe(1);
  });
});
