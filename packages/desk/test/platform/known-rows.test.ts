import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import {
  type ApproverRule,
  type HoldRow,
  openDesk,
  postgresStore,
  sqliteStore,
} from '@holdpoint/desk';
import { beforeEach, describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { useFreshDatabase } from './support/fresh-database.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const GRACE = { id: 'grace' };

const database = useFreshDatabase();

let path = '';
beforeEach(() => {
  path = join(scratchFolder('known-rows'), 'desk.sqlite');
});

const STORES = {
  PostgreSQL: {
    open: () => postgresStore({ pool: database.newPool() }),
    execute: (statement: string) => database.newPool().query(statement),
  },
  SQLite: {
    open: () => sqliteStore({ path }),
    async execute(statement: string) {
      const other = new DatabaseSync(path);
      other.exec(statement);
      other.close();
    },
  },
};

let stores: (typeof STORES)[keyof typeof STORES];

/** Opens a desk as another process would: it knows no rows of the others. */
async function openProcess(bank = newBank(), approvers?: Record<string, ApproverRule>) {
  const store = await stores.open();
  const agents = { teller: { agent: teller, deps: () => bank } };
  const desk = openDesk({ store, agents, ...(approvers && { approvers }) });
  database.onClose(() => desk.close());
  return desk;
}

type Process = Awaited<ReturnType<typeof openProcess>>;

/** Parks a run in a process, which knows its rows from then on. */
async function park(
  desk: Process,
  prompt = 'pay ada',
): Promise<{ runId: string; holds: readonly HoldRow[] }> {
  const runId = await desk.start('teller', prompt, { requester: { id: 'linus' } });
  await desk.drain();
  return { runId, holds: (await desk.holds({ runId })).items };
}

function approve(desk: Process, { id, digest }: HoldRow): Promise<HoldRow> {
  return desk.decide(id, { kind: 'approve' }, { by: GRACE, digest });
}

describe.each(Object.entries(STORES))('process that knows the rows of a run on %s', (_, opened) => {
  beforeEach(() => {
    stores = opened;
  });

  it('rejects a decision after another process cancelled the run', async () => {
    const [first, second] = [await openProcess(), await openProcess()];
    const { runId, holds } = await park(first);
    await second.cancel(runId, { by: GRACE });

    await expect(approve(first, holds[0]!)).rejects.toMatchObject({ code: 'hold-settled' });

    expect((await first.run(runId)).state).toBe('cancelled');
  });

  it('records one of two decisions of different processes', async () => {
    const [first, second] = [await openProcess(), await openProcess()];
    const { runId, holds } = await park(first);
    await second.hold(holds[0]!.id);

    const outcomes = await Promise.allSettled([
      approve(first, holds[0]!),
      approve(second, holds[0]!),
    ]);

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await first.run(runId)).openHolds).toBe(0);
  });

  it('records the approver beside an escalation in the same transaction, which has none', async () => {
    const pay = { people: ['dorothy'], escalate: [{ afterMs: 1, also: { people: ['grace'] } }] };
    const desk = await openProcess(newBank(), { pay });
    const { runId, holds } = await park(desk);
    await new Promise((resolve) => setTimeout(resolve, 5));

    await approve(desk, holds[0]!);

    const audit = await desk.audit(runId);
    const people = audit.map(({ kind, by }) => `${kind} ${by?.id ?? '-'}`);
    expect(people).toEqual(expect.arrayContaining(['hold-escalated -', 'hold-decided grace']));
  });

  it('continues the audit that another process has extended', async () => {
    const [first, second] = [await openProcess(), await openProcess()];
    const { runId, holds } = await park(first, 'pay ada, pay bob');

    await approve(second, holds[0]!);
    await approve(first, holds[1]!);
    await first.drain();

    expect((await first.run(runId)).state).toBe('finished');
    const audit = await first.audit(runId);
    expect(audit.map(({ previous }) => previous)).toEqual([
      '',
      ...audit.slice(0, -1).map(({ hash }) => hash),
    ]);
  });

  it('notices a row that was changed in the database since', async () => {
    const bank = newBank();
    const desk = await openProcess(bank);
    const { runId, holds } = await park(desk);
    await stores.execute(`update desk_holds set args = '{"to":"mallory"}'`);

    await expect(approve(desk, holds[0]!)).rejects.toMatchObject({ code: 'tampered' });

    await desk.drain();
    expect((await desk.run(runId)).state).toBe('parked');
    expect(bank.paid).toEqual([]);
  });

  it('executes a call once that two processes resume', async () => {
    const bank = newBank();
    const [first, second] = [await openProcess(bank), await openProcess(bank)];
    const { runId, holds } = await park(first, 'pay ada, pay bob, pay cy');
    for (const hold of holds) await approve(second, hold);

    await Promise.all([first.drain(), second.drain()]);

    expect(bank.paid).toHaveLength(3);
    expect((await second.run(runId)).state).toBe('finished');
  });
});
