import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteStore } from '@holdpoint/desk';
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
  it('are limited per person and tenant, and count only while they are open', async () => {
    const site = siteOn(await sqliteStore(), { events: { perPerson: 2, perTenant: 3 } });
    const streams = [
      await openEvents(site.app, 'acme/ada'),
      await openEvents(site.app, 'acme/ada'),
    ];

    const third = await site.ask('acme/ada', 'GET', '/v1/events');
    expect(third).toMatchObject({ status: 429, body: { code: 'too-many-streams' } });
    expect(third.headers.get('retry-after')).toBe('10');
    streams.push(await openEvents(site.app, 'acme/grace'));
    expect((await site.ask('acme/eve', 'GET', '/v1/events')).status).toBe(429);
    streams.push(await openEvents(site.app, 'other/eve'));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);

    await streams[0]!.cancel();
    const again = await openEvents(site.app, 'acme/ada');
    expect(again.status).toBe(200);
    await site.app.closeStreams();
  });

  it('do not count a HEAD request or a rejected request', async () => {
    const site = siteOn(await sqliteStore(), { events: { perPerson: 1 } });

    for (let index = 0; index < 5; index++) {
      expect((await site.ask('acme/ada', 'HEAD', '/v1/events')).status).toBe(200);
      expect((await openEvents(site.app, 'acme/ada', 'nonsense')).status).toBe(400);
    }
    expect((await openEvents(site.app, 'acme/ada')).status).toBe(200);
    await site.app.closeStreams();
  });

  it('send heartbeats, and end after the maximum duration', async () => {
    const site = siteOn(await sqliteStore(), { events: { heartbeatMs: 10, maxStreamMs: 100 } });
    const stream = await openEvents(site.app, 'acme/ada');

    await stream.waitFor(': heartbeat');

    expect(await stream.next()).toBeUndefined();
  });

  it('end for a caller who lost access, and cannot be opened again', async () => {
    let hasAccess = true;
    const site = siteOn(await sqliteStore(), {
      authorize: () => (hasAccess ? { tenant: 'acme', person: { id: 'ada' } } : undefined),
      // The end does not wait for a heartbeat.
      events: { heartbeatMs: 60_000, maxStreamMs: 200 },
    });
    const stream = await openEvents(site.app, 'acme/ada');
    const reading = (async () => {
      for await (const _event of site.client('acme/ada').events());
    })();
    const rejected = expect(reading).rejects.toMatchObject({ status: 401 });
    await sleep(50);
    hasAccess = false;

    expect(await stream.next()).toBeUndefined();
    await rejected;
    await site.desk.forTenant('acme').start('teller', 'pay hunter2secret');
    expect((await site.ask('acme/ada', 'GET', '/v1/events')).status).toBe(401);
    expect(stream.all).not.toContain('run-started');
  });

  it('resume from any valid cursor, and reject others', async () => {
    const site = siteOn(await sqliteStore());
    const cursorOf = (...values: readonly unknown[]) =>
      Buffer.from(JSON.stringify(values)).toString('base64url');
    const bogus = [
      'x',
      '0',
      '%00',
      '../..',
      cursorOf(),
      cursorOf(1),
      cursorOf('1', 1),
      cursorOf(1, 'a'),
    ];

    for (const last of [...bogus, cursorOf(1e300, 1), 'A'.repeat(8_000)]) {
      const { status } = await openEvents(site.app, 'acme/ada', last);
      expect(status, last.slice(0, 40)).toBe(400);
    }
    const { id } = (
      await site.ask('acme/ada', 'POST', '/v1/runs', { agent: 'teller', prompt: 'pay a' })
    ).body;
    await startedRun(site, 'pay b', 'other/eve');
    const early = await openEvents(site.app, 'acme/ada', cursorOf(-Number.MAX_SAFE_INTEGER, 1));
    expect((await early.take(1)).map(({ event }) => event.runId)).toEqual([id]);
    const late = await openEvents(site.app, 'acme/ada', cursorOf(Number.MAX_SAFE_INTEGER, 1));
    const next = await site.desk.forTenant('acme').start('teller', 'Hi');
    expect((await late.take(1)).map(({ event }) => event.runId)).toEqual([next]);
    await site.app.closeStreams();
  });

  it('end for a client that does not read', async () => {
    const site = siteOn(await sqliteStore(), { events: { perPerson: 1, heartbeatMs: 10 } });
    const unread = await openEvents(site.app, 'acme/ada');
    expect((await site.ask('acme/ada', 'GET', '/v1/events')).status).toBe(429);

    let next = await openEvents(site.app, 'acme/ada');
    for (let attempts = 0; next.status === 429 && attempts < 200; attempts++) {
      await sleep(20);
      next = await openEvents(site.app, 'acme/ada');
    }
    expect(next.status).toBe(200);
    await expect(unread.next()).rejects.toThrow('does not read');
    await site.app.closeStreams();
  });

  it('buffer a limited amount for a slow client', {
    timeout: 60_000,
  }, async () => {
    const site = siteOn(await sqliteStore());
    const desk = site.desk.forTenant('acme');
    const slow = await openEvents(site.app, 'acme/ada');
    const quick = await openEvents(site.app, 'acme/ada');

    const reading = quick.take(1_500);
    for (let index = 0; index < 1_500; index++) await desk.start('teller', 'Hi');
    await reading;

    await expect(slow.take(1_500)).rejects.toThrow('does not read');
    await site.app.closeStreams();
  });

  it('end when the app closes, and cannot be opened afterwards', async () => {
    const site = siteOn(await sqliteStore());
    const stream = await openEvents(site.app, 'acme/ada');

    await site.app.closeStreams();

    expect(await stream.next()).toBeUndefined();
    expect((await openEvents(site.app, 'acme/ada')).status).toBe(503);
    expect((await site.ask('acme/ada', 'GET', '/v1/runs')).status).toBe(200);
  });

  it('contain events that another process wrote to the same file', async () => {
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
      // Without a listener, the file is not read any more.
      await sleep(100);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
