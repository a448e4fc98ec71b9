import { setTimeout as sleep } from 'node:timers/promises';
import { memoryStore, sqliteStore } from '@holdpoint/desk';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { eventCases } from './cases/events.ts';
import { openEvents } from './support/event-reader.ts';
import { siteOn, startedRun } from './support/site.ts';

describe.each(STORES)('events of a desk over HTTP %s', (_, open) => eventCases(open));

describe('event streams', () => {
  it('are bounded for a person and for a tenant, and places come back', async () => {
    const site = siteOn(memoryStore(), { events: { perPerson: 2, perTenant: 3 } });
    const streams = [
      await openEvents(site.app, 'acme/ada'),
      await openEvents(site.app, 'acme/ada'),
    ];

    const third = await site.ask('acme/ada', 'GET', '/events');
    expect(third).toMatchObject({ status: 429, body: { error: { code: 'too-many-streams' } } });
    expect(third.headers.get('retry-after')).toBe('10');
    streams.push(await openEvents(site.app, 'acme/grace'));
    expect((await site.ask('acme/eve', 'GET', '/events')).status).toBe(429);
    streams.push(await openEvents(site.app, 'other/eve'));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);

    await streams[0]!.cancel();
    const again = await openEvents(site.app, 'acme/ada');
    expect(again.status).toBe(200);
    await site.app.closeStreams();
  });

  it('take no place for a HEAD, or for one that is refused', async () => {
    const site = siteOn(memoryStore(), { events: { perPerson: 1 } });

    for (let index = 0; index < 5; index++) {
      expect((await site.ask('acme/ada', 'HEAD', '/events')).status).toBe(200);
      expect((await openEvents(site.app, 'acme/ada', 'nonsense')).status).toBe(400);
    }
    expect((await openEvents(site.app, 'acme/ada')).status).toBe(200);
    await site.app.closeStreams();
  });

  it('show that they are alive, and end after a while', async () => {
    const site = siteOn(memoryStore(), { events: { heartbeatMs: 10, longestMs: 100 } });
    const stream = await openEvents(site.app, 'acme/ada');

    await stream.waitFor(': still here');

    expect(await stream.next()).toBeUndefined();
  });

  it('end for whoever has lost the right to them, who is not let in again', async () => {
    let isLetIn = true;
    const site = siteOn(memoryStore(), {
      authorize: () => (isLetIn ? { tenant: 'acme', person: { id: 'ada' } } : undefined),
      // The end does not wait for a sign of life.
      events: { heartbeatMs: 60_000, longestMs: 200 },
    });
    const stream = await openEvents(site.app, 'acme/ada');
    const reading = (async () => {
      for await (const _event of site.client('acme/ada').events());
    })();
    const refused = expect(reading).rejects.toMatchObject({ status: 401 });
    await sleep(50);
    isLetIn = false;

    expect(await stream.next()).toBeUndefined();
    await refused;
    await site.desk.forTenant('acme').start('teller', 'pay hunter2secret');
    expect((await site.ask('acme/ada', 'GET', '/events')).status).toBe(401);
    expect(stream.all).not.toContain('run-started');
  });

  it('go on from a place that nobody has been at, if it is one at all', async () => {
    const site = siteOn(memoryStore());
    const place = (...values: readonly unknown[]) =>
      Buffer.from(JSON.stringify(values)).toString('base64url');
    const bogus = ['x', '0', '%00', '../..', place(), place(1), place('1', 1), place(1, 'a')];

    for (const last of [...bogus, place(1e300, 1), 'A'.repeat(8_000)]) {
      const { status } = await openEvents(site.app, 'acme/ada', last);
      expect(status, last.slice(0, 40)).toBe(400);
    }
    const { id } = (
      await site.ask('acme/ada', 'POST', '/runs', { agent: 'teller', prompt: 'pay a' })
    ).body;
    await startedRun(site, 'pay b', 'other/eve');
    const early = await openEvents(site.app, 'acme/ada', place(-Number.MAX_SAFE_INTEGER, 1));
    expect((await early.take(1)).map(({ event }) => event.runId)).toEqual([id]);
    const late = await openEvents(site.app, 'acme/ada', place(Number.MAX_SAFE_INTEGER, 1));
    const next = await site.desk.forTenant('acme').start('teller', 'Hi');
    expect((await late.take(1)).map(({ event }) => event.runId)).toEqual([next]);
    await site.app.closeStreams();
  });

  it('give up on a client that does not read', async () => {
    const site = siteOn(memoryStore(), { events: { perPerson: 1, heartbeatMs: 10 } });
    const unread = await openEvents(site.app, 'acme/ada');
    expect((await site.ask('acme/ada', 'GET', '/events')).status).toBe(429);

    let next = await openEvents(site.app, 'acme/ada');
    for (let tries = 0; next.status === 429 && tries < 200; tries++) {
      await sleep(20);
      next = await openEvents(site.app, 'acme/ada');
    }
    expect(next.status).toBe(200);
    await expect(unread.next()).rejects.toThrow('does not read');
    await site.app.closeStreams();
  });

  it('do not keep what a slow client has not read without a bound', {
    timeout: 60_000,
  }, async () => {
    const site = siteOn(memoryStore());
    const desk = site.desk.forTenant('acme');
    const slow = await openEvents(site.app, 'acme/ada');
    const quick = await openEvents(site.app, 'acme/ada');

    const reading = quick.take(1_500);
    for (let index = 0; index < 1_500; index++) await desk.start('teller', 'Hi');
    await reading;

    await expect(slow.take(1_500)).rejects.toThrow('does not read');
    await site.app.closeStreams();
  });

  it('end when the app is closed, which opens no other', async () => {
    const site = siteOn(memoryStore());
    const stream = await openEvents(site.app, 'acme/ada');

    await site.app.closeStreams();

    expect(await stream.next()).toBeUndefined();
    expect((await openEvents(site.app, 'acme/ada')).status).toBe(503);
    expect((await site.ask('acme/ada', 'GET', '/runs')).status).toBe(200);
  });

  it('tell of what another process has written to the same file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-events-'));
    try {
      const path = join(folder, 'desk.sqlite');
      await using here = await sqliteStore({ path });
      await using there = await sqliteStore({ path });
      const site = siteOn(here, { events: { pollMs: 20 } });
      const stream = await openEvents(site.app, 'acme/ada');

      const runId = await siteOn(there).desk.forTenant('acme').start('teller', 'Hi');

      expect((await stream.take(1))[0]?.event).toMatchObject({ kind: 'run-started', runId });
      await stream.cancel();
      // Nobody listens, so nobody looks at the file any more.
      await sleep(100);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
