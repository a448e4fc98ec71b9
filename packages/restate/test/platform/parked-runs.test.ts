import { setTimeout as sleep } from 'node:timers/promises';
import { type Desk, openDesk, sqliteStore } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { serveDesk } from '../../src/index.ts';
import { RestateServer, startCluster } from '../support/restate-server.ts';
import { type Effects, tellerAgent } from '../support/teller.ts';
import { until } from '../support/until.ts';

const isSoak = process.env['SOAK_TIMES'] !== undefined;
const COUNTS = isSoak ? [1_000, 10_000] : [100];
/** Starts and decisions at the same time. */
const AT_ONCE = 20;

async function forAll<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(work));
  }
}

async function openMemoryDesk(during?: Effects['during']) {
  const effects: Effects = { done: [], during };
  const store = await sqliteStore();
  const desk = openDesk({ store, agents: { teller: { agent: tellerAgent(effects) } } });
  return { desk, effects };
}

async function allIn(desk: Desk, state: 'parked' | 'finished', seconds: number): Promise<void> {
  const states = (['ready', 'running', 'parked', 'stuck'] as const).filter((one) => one !== state);
  await until(
    async () => ((await desk.runs({ states, limit: 1 })).items.length === 0 ? true : undefined),
    seconds,
  );
}

describe('parked runs', () => {
  it.each(COUNTS)(
    'hold no invocation, no journal and no process, and all resume: %i',
    { timeout: 3_600_000 },
    async (count) => {
      await using server = await RestateServer.start();
      const { desk, effects } = await openMemoryDesk();
      await using _desk = desk;
      await using served = serveDesk(desk, {
        ingress: server.ingress,
        onError: () => {},
        logger: () => {},
      });
      await server.register(`http://127.0.0.1:${await served.listen(0)}`);
      const names = Array.from({ length: count }, (_, index) => `p${index}`);

      const begun = Date.now();
      await forAll(names, (name) => desk.start('teller', `pay ${name}`));
      await allIn(desk, 'parked', 1_500);
      const parked = Date.now();
      await until(async () => {
        const rows = await server.query('select id from sys_invocation');
        return rows.length === 0 ? true : undefined;
      });
      const journal = await server.query('select id from sys_journal limit 1');
      for (let page = await desk.holds({ limit: 500 }); page.items.length > 0; ) {
        await forAll(page.items, ({ id, digest }) =>
          desk.decide(id, { kind: 'approve' }, { by: { id: 'ada' }, digest }),
        );
        page = await desk.holds({ limit: 500 });
      }
      const decided = Date.now();
      await allIn(desk, 'finished', 1_500);

      console.log(
        `${count} runs: ${parked - begun} ms to park, ${decided - parked} ms to decide, ` +
          `${Date.now() - decided} ms until all have finished.`,
      );
      expect(journal).toEqual([]);
      expect(effects.done.toSorted()).toEqual(names.toSorted());
    },
  );
});

describe('a cluster of three nodes', () => {
  it('finishes all runs and executes no call twice when a node is killed', async () => {
    const count = isSoak ? 30 : 9;
    const nodes = await startCluster(3);
    const [first, ...others] = nodes;
    if (first === undefined) throw new Error('There is no node.');
    const { desk, effects } = await openMemoryDesk(() => sleep(100));
    await using _desk = desk;
    await using served = serveDesk(desk, {
      ingress: nodes.map(({ ingress }) => ingress),
      sweepMs: 500,
      concurrency: 4,
      onError: () => {},
      logger: () => {},
    });
    try {
      await others[0]?.register(`http://127.0.0.1:${await served.listen(0)}`);
      const names = Array.from({ length: count }, (_, index) => `c${index}`);
      const begun = Date.now();
      await forAll(names, (name) => desk.start('teller', `book ${name}`));
      await until(() => (effects.done.length > count / 3 ? true : undefined), 60);
      await first.kill();
      const killed = Date.now();
      await allIn(desk, 'finished', 90);

      console.log(
        `${count} runs in ${Date.now() - begun} ms, ${Date.now() - killed} ms after the loss of a node.`,
      );
      expect(effects.done.toSorted()).toEqual(names.toSorted());
    } finally {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    }
  });
});
