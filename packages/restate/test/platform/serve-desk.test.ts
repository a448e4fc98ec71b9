import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, type DeskOptions, openDesk, sqliteStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../desk/test/platform/support/scratch-folder.ts';
import { restateEngine, serveDesk, type ServeDeskOptions } from '../../src/index.ts';
import { freePort } from '../../../desk/test/platform/support/free-port.ts';
import { RestateServer } from '../support/restate-server.ts';
import { type Effects, tellerAgent } from '../support/teller.ts';
import { until } from '../support/until.ts';

let server: RestateServer;
let folder: string;
let count = 0;

beforeAll(async () => {
  server = await RestateServer.start();
  folder = scratchFolder('restate-desk');
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Opened extends AsyncDisposable {
  readonly desk: Desk;
  readonly effects: Effects;
  readonly name: string;
  readonly path: string;
}

/** Opens a desk on a new SQLite file, or on a given one. */
async function openTestDesk(
  options: Partial<DeskOptions<never>> & Pick<Partial<Effects>, 'during'> = {},
  path = join(folder, `desk-${count++}.sqlite`),
): Promise<Opened> {
  const { during, ...others } = options;
  const effects: Effects = { done: [], during };
  const desk = openDesk({
    ...others,
    store: await sqliteStore({ path }),
    agents: { teller: { agent: tellerAgent(effects) } },
  });
  const name = `tasks-${path.replace(/\D/g, '')}`;
  return {
    desk,
    effects,
    name,
    path,
    [Symbol.asyncDispose]: () => desk.close(),
  };
}

/** Serves a desk, and registers it with the server. */
async function serve({ desk, name }: Opened, options: Partial<ServeDeskOptions> = {}) {
  const served = serveDesk(desk, {
    ingress: server.ingress,
    service: name,
    sweepMs: 200,
    onError: () => {},
    logger: () => {},
    ...options,
  });
  const port = await served.listen(0);
  await server.register(`http://127.0.0.1:${port}`);
  return served;
}

async function approveAll(desk: Desk, runId: string): Promise<void> {
  const { items } = await desk.holds({ runId });
  for (const { id, digest } of items) {
    await desk.decide(id, { kind: 'approve' }, { by: { id: 'ada' }, digest });
  }
}

async function openInvocations(name: string): Promise<number> {
  const rows = await server.query(
    `select id from sys_invocation where target_service_name = '${name}' and status <> 'completed'`,
  );
  return rows.length;
}

describe('serveDesk', () => {
  it('executes runs, parks them without an open invocation, and resumes them', async () => {
    await using opened = await openTestDesk();
    await using _served = await serve(opened);
    const { desk, effects, name } = opened;

    const runId = await desk.start('teller', 'pay a, book b');
    expect((await desk.waitFor(runId, { timeoutMs: 10_000 })).state).toBe('parked');
    await until(async () => ((await openInvocations(name)) === 0 ? true : undefined));
    const journal = await server.query(
      `select sj.id from sys_journal sj join sys_invocation si on sj.id = si.id where si.target_service_name = '${name}'`,
    );
    expect(journal).toEqual([]);
    await approveAll(desk, runId);
    const run = await desk.waitFor(runId, { timeoutMs: 10_000 });

    expect(run.state).toBe('finished');
    expect(effects.done.toSorted()).toEqual(['a', 'b']);
  });

  it('performs tasks that another process schedules', async () => {
    await using opened = await openTestDesk();
    await using _served = await serve(opened, { sweepMs: 0 });
    await using clerk = await openTestDesk({}, opened.path);
    clerk.desk.useEngine(restateEngine({ ingress: server.ingress, service: opened.name }));

    const runId = await clerk.desk.start('teller', 'book a');
    const run = await clerk.desk.waitFor(runId, { timeoutMs: 10_000 });

    expect(run.state).toBe('finished');
    expect([opened.effects.done, clerk.effects.done]).toEqual([['a'], []]);
  });

  it('uses the next node if one is away', async () => {
    await using opened = await openTestDesk();
    const away = `http://127.0.0.1:${await freePort()}`;
    await using _served = await serve(opened, { ingress: [away, server.ingress], sweepMs: 0 });

    for (const prompt of ['book a', 'book b', 'book c']) {
      const runId = await opened.desk.start('teller', prompt);
      const run = await opened.desk.waitFor(runId, { timeoutMs: 10_000 });
      expect(run.state).toBe('finished');
    }
  });

  it('expires holds with a durable timer', async () => {
    await using opened = await openTestDesk({ expiresAfter: 1_000 });
    await using _served = await serve(opened, { sweepMs: 0 });
    const { desk, effects } = opened;

    const runId = await desk.start('teller', 'pay a');
    await until(async () => ((await desk.run(runId)).state === 'parked' ? true : undefined));
    const [hold] = (await desk.holds({ runId })).items;
    await until(async () => ((await desk.run(runId)).state === 'finished' ? true : undefined));

    const settled = await desk.hold(hold?.id ?? '');
    expect(settled.outcome).toBe('expired');
    const late = (settled.settledAt ?? 0) - (settled.expiresAt ?? 0);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(2_000);
    expect(effects.done).toEqual([]);
  });

  it('lets tasks wait for a slot without a claim, so that no lease ends', async () => {
    let atOnce = 0;
    let most = 0;
    const lost: unknown[] = [];
    await using opened = await openTestDesk({
      lease: 300,
      during: async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => {
          setTimeout(resolve, 50);
        });
        atOnce -= 1;
      },
      logger: {
        debug: () => {},
        info: () => {},
        warn: (fields: unknown) => lost.push(fields),
        error: (fields: unknown) => lost.push(fields),
      } as never,
    });
    await using _served = await serve(opened, { concurrency: 2 });
    const { desk, effects } = opened;

    const ids = [];
    for (let index = 0; index < 20; index++) ids.push(await desk.start('teller', `book b${index}`));
    for (const runId of ids) {
      expect((await desk.waitFor(runId, { timeoutMs: 20_000 })).state).toBe('finished');
    }

    expect(effects.done).toHaveLength(20);
    expect(most).toBe(2);
    expect(lost).toEqual([]);
  });

  it('shares a desk with a built-in worker', async () => {
    await using opened = await openTestDesk();
    await using _served = await serve(opened);
    await using other = await openTestDesk({}, opened.path);
    void other.desk.startWorker({ pollMs: 20 });
    const { desk } = opened;

    const ids = [];
    for (let index = 0; index < 10; index++) ids.push(await desk.start('teller', `pay p${index}`));
    for (const runId of ids) await desk.waitFor(runId, { timeoutMs: 20_000 });
    for (const runId of ids) await approveAll(desk, runId);
    for (const runId of ids) {
      expect((await desk.waitFor(runId, { timeoutMs: 20_000 })).state).toBe('finished');
    }

    expect([...opened.effects.done, ...other.effects.done]).toHaveLength(10);
  });

  it('delivers events, and repeats a delivery that failed', async () => {
    const kinds: string[] = [];
    let failures = 1;
    await using opened = await openTestDesk({
      onError: () => {},
      notify: ({ kind }) => {
        if (failures-- > 0) throw new Error('The receiver is away.');
        kinds.push(kind);
      },
    });
    await using _served = await serve(opened);

    const runId = await opened.desk.start('teller', 'Hello');
    await opened.desk.waitFor(runId, { timeoutMs: 10_000 });

    await until(() => (kinds.length >= 2 ? true : undefined));
    expect(kinds.toSorted()).toEqual(['run-finished', 'run-started']);
  });

  it('serves the same tasks with a fetch handler', async () => {
    await using opened = await openTestDesk();
    await using served = serveDesk(opened.desk, { ingress: server.ingress, logger: () => {} });

    const response = await served.fetch(
      new Request('http://127.0.0.1/discover', {
        headers: { accept: 'application/vnd.restate.endpointmanifest.v4+json' },
      }),
    );

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('holdpoint-tasks');
  });

  it('releases executing runs when it closes, and another process continues them', async () => {
    let started = false;
    await using opened = await openTestDesk({
      during: async () => {
        started = true;
        await new Promise((resolve) => {
          setTimeout(resolve, 200);
        });
      },
    });
    const served = await serve(opened);
    const runId = await opened.desk.start('teller', 'book a');
    await until(() => (started ? true : undefined));
    await served.close();

    expect((await opened.desk.run(runId)).state).toBe('ready');
    await using other = await openTestDesk({}, opened.path);
    await using _served = await serve({ ...other, name: opened.name });
    expect((await opened.desk.waitFor(runId, { timeoutMs: 20_000 })).state).toBe('finished');
    expect([...opened.effects.done, ...other.effects.done]).toEqual(['a']);
  });
});
