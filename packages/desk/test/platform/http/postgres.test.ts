import { setTimeout as sleep } from 'node:timers/promises';
import { postgresStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiCases } from '../../http/cases/api.ts';
import { eventCases } from '../../http/cases/events.ts';
import { questionCases } from '../../http/cases/questions.ts';
import { raceCases } from '../../http/cases/race.ts';
import { strangeCases } from '../../http/cases/strange.ts';
import { whoAsksCases } from '../../http/cases/who-asks.ts';
import { openEvents } from '../../http/support/event-reader.ts';
import type { HttpStore } from '../../http/support/http-store.ts';
import { siteOn } from '../../http/support/site.ts';
import { poolFor, PostgresServer } from '../support/postgres-server.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function openAt(url: string): Promise<HttpStore> {
  const pool = poolFor(url);
  const store = await postgresStore({ pool });
  return {
    store,
    clock: { advance: (ms) => sleep(ms) },
    async [Symbol.asyncDispose]() {
      await store.close();
      await pool.end();
    },
  };
}

const open = async () => openAt(await server.newDatabase());

describe('a desk over HTTP in PostgreSQL', () => apiCases(open));
describe('caller of a desk over HTTP in PostgreSQL', () => whoAsksCases(open));
describe('questions at a desk in PostgreSQL', () => questionCases(open));
describe('competing decisions over HTTP in PostgreSQL', () => raceCases(open));
describe('strange requests to a desk in PostgreSQL', () => strangeCases(open));

describe('events of a desk over HTTP in PostgreSQL', () => {
  eventCases(open);

  it('arrive as soon as another process has written, long before the next poll', async () => {
    const url = await server.newDatabase();
    await using here = await openAt(url);
    await using there = await openAt(url);
    const site = siteOn(here.store, { events: { pollMs: 60_000 } });
    const stream = await openEvents(site.app, 'acme/ada');
    // The first stream opens the listening connection.
    await sleep(500);

    const since = performance.now();
    const runId = await siteOn(there.store).desk.forTenant('acme').start('teller', 'Hi');
    const [first] = await stream.take(1);

    expect(first?.event).toMatchObject({ kind: 'run-started', runId });
    expect(performance.now() - since).toBeLessThan(10_000);
    await stream.cancel();
  });
});
