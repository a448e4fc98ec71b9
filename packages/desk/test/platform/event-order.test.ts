import { setTimeout as sleep } from 'node:timers/promises';
import { type NewOutboxRow, postgresStore, type RunRow, type Store } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvents } from '../http/support/event-reader.ts';
import { siteOn } from '../http/support/site.ts';
import { Gate } from '../support/gate.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

interface Opened extends AsyncDisposable {
  readonly store: Store;
}

async function openAt(url: string): Promise<Opened> {
  const pool = poolFor(url);
  const store = await postgresStore({ pool });
  await store.write((tx) => tx.runs.insert(RUN));
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await pool.end();
    },
  };
}

/** The run that the events refer to. */
const RUN: RunRow = {
  tenant: 'acme',
  id: 'r',
  agent: 'teller',
  conversationId: 'c',
  state: 'finished',
  firstPosition: 0,
  openHolds: 0,
  parks: 0,
  startHash: '',
  createdAt: 1,
  updatedAt: 1,
  auditCount: 0,
  auditHash: '',
};

function event(id: string): NewOutboxRow {
  return { tenant: 'acme', id, runId: 'r', kind: 'hold-opened', data: {}, at: Date.now() };
}

/** Opens a transaction that has written a row. It adds its event and commits when its gates open. */
function openTransaction(
  store: Store,
  id: string,
): { begun: Gate; add: Gate; added: Gate } & {
  commit: Gate;
  done: Promise<void>;
} {
  const gates = { begun: new Gate(), add: new Gate(), added: new Gate(), commit: new Gate() };
  const done = store.write(async (tx) => {
    await tx.tasks.insert({ tenant: 'acme', kind: 'outbox', id, fence: 0, attempts: 0 });
    gates.begun.open();
    await gates.add.opened;
    await tx.outbox.insert(event(id));
    gates.added.open();
    await gates.commit.opened;
  });
  return { ...gates, done };
}

describe('desk B5: the event stream on PostgreSQL', () => {
  it('misses no event of a transaction that commits seconds after later ones', async () => {
    const url = await server.newDatabase();
    await using here = await openAt(url);
    await using there = await openAt(url);
    const site = siteOn(here.store, { events: { pollMs: 50 } });
    const stream = await openEvents(site.app, 'acme/ada');
    const late = openTransaction(there.store, 'late');
    late.add.open();
    await late.added.opened;

    await here.store.write((tx) => tx.outbox.insert(event('early')));
    // Longer than a stream could wait for a late event.
    await sleep(2_500);
    late.commit.open();
    await late.done;
    await here.store.write((tx) => tx.outbox.insert(event('last')));

    const ids = (await stream.take(3)).map((one) => one.event.id);
    expect(ids.toSorted()).toEqual(['early', 'last', 'late']);
    expect(ids[2]).toBe('last');
    const { items } = await site.desk.forTenant('acme').events();
    expect(ids).toEqual(items.map(({ id }) => id));
    await stream.cancel();
  });

  it('misses no event of a younger transaction that was numbered before an older one', async () => {
    const url = await server.newDatabase();
    await using here = await openAt(url);
    await using there = await openAt(url);
    const site = siteOn(here.store, { events: { pollMs: 50 } });
    const stream = await openEvents(site.app, 'acme/ada');
    const older = openTransaction(here.store, 'older');
    await older.begun.opened;
    const younger = openTransaction(there.store, 'younger');
    await younger.begun.opened;
    younger.add.open();
    await younger.added.opened;
    older.add.open();
    older.commit.open();
    await older.done;

    const [first] = await stream.take(1);
    younger.commit.open();
    await younger.done;
    const [second] = await stream.take(1);

    expect([first?.event.id, second?.event.id]).toEqual(['older', 'younger']);
    const resumed = await openEvents(site.app, 'acme/ada', first?.lastId);
    expect((await resumed.take(1))[0]?.event.id).toBe('younger');
    await stream.cancel();
    await resumed.cancel();
  });

  it('continues after the tables were copied to a server whose transactions have lower ids', async () => {
    const url = await server.newDatabase();
    let lastId: string | undefined;
    {
      await using before = await openAt(url);
      const site = siteOn(before.store, { events: { pollMs: 50 } });
      const stream = await openEvents(site.app, 'acme/ada');
      for (const id of ['a', 'b']) await before.store.write((tx) => tx.outbox.insert(event(id)));
      const pool = poolFor(url);
      await pool.query('update desk_outbox set transaction_id = 1000000000 + sequence');
      await pool.end();
      lastId = Buffer.from(JSON.stringify([1_000_000_001, 1])).toString('base64url');
      await stream.cancel();
    }

    await using after = await openAt(url);
    await after.store.write((tx) => tx.outbox.insert(event('c')));
    const site = siteOn(after.store, { events: { pollMs: 50 } });
    const { items } = await site.desk.forTenant('acme').events();
    expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const stream = await openEvents(site.app, 'acme/ada', lastId);
    expect((await stream.take(2)).map((one) => one.event.id)).toEqual(['b', 'c']);
    await stream.cancel();
  });
});
