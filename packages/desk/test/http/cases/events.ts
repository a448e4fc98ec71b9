import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openEvents } from '../support/event-reader.ts';
import type { OpenHttpStore } from '../support/http-store.ts';
import { siteOn, startedRun } from '../support/site.ts';

/** Event streams, on any store. */
export function eventCases(open: OpenHttpStore): void {
  it('contain the events of the tenant, without arguments or messages', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    await startedRun(site, 'pay before');
    const stream = await openEvents(site.app, 'acme/grace');
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store');

    const theirs = await openEvents(site.app, 'other/eve');
    const theirRun = await startedRun(site, 'pay hunter2secret', 'other/eve');
    const { body } = await site.ask('acme/ada', 'POST', '/v1/runs', {
      agent: 'teller',
      prompt: 'pay hunter2secret',
    });
    const runId: string = body.id;
    await opened.clock.advance(1);
    await site.desk.forTenant('acme').work({ runId });
    await opened.clock.advance(1);
    const started = await stream.take(2);
    const [{ id, digest }] = (await site.ask('acme/grace', 'GET', `/v1/holds?runId=${runId}`)).body
      .items;
    await site.ask('acme/grace', 'POST', `/v1/holds/${id}/decision`, {
      digest,
      decision: { kind: 'approve' },
    });
    await opened.clock.advance(1);
    await site.desk.forTenant('acme').work({ runId });
    const ended = await stream.take(2);
    await stream.cancel();
    // Another tenant receives its own events only.
    const last = await site.desk.forTenant('other').start('teller', 'Hi');
    const received = await theirs.take(3);
    await theirs.cancel();

    expect([...started, ...ended].map(({ event }) => event)).toMatchObject([
      { kind: 'run-started', runId },
      { kind: 'hold-opened', runId, data: { holdId: id } },
      { kind: 'hold-settled', runId, data: { holdId: id, outcome: 'decided' } },
      { kind: 'run-finished', runId },
    ]);
    expect(received.map(({ event }) => event.runId).toSorted()).toEqual(
      [theirRun, theirRun, last].toSorted(),
    );
    expect(stream.all + theirs.all).not.toContain('hunter2secret');
  });

  it('resume after the last received event without a gap', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const first = await openEvents(site.app, 'acme/grace');
    const before = await startedRun(site, 'pay a');
    const [, seen] = await first.take(2);
    await first.cancel();
    await opened.clock.advance(5_000);
    const missed = await startedRun(site, 'pay b');

    const second = await openEvents(site.app, 'acme/grace', seen!.lastId);
    const live = await startedRun(site, 'pay c');
    const events = (await second.take(4)).map(({ event }) => event.runId);
    await second.cancel();

    expect(events).toEqual([missed, missed, live, live]);
    expect(events).not.toContain(before);
  });

  it('desk B5: miss no event although the clock of the store is set back', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const stream = await openEvents(site.app, 'acme/grace');
    const desk = site.desk.forTenant('acme');
    const first = await desk.start('teller', 'Hi');
    const [seen] = await stream.take(1);

    await opened.clock.advance(-60_000);
    const second = await desk.start('teller', 'Hi');
    const [live] = await stream.take(1);
    const resumed = await openEvents(site.app, 'acme/grace', seen!.lastId);
    const [missed] = await resumed.take(1);
    await stream.cancel();
    await resumed.cancel();

    expect([seen, live, missed].map((one) => one?.event.runId)).toEqual([first, second, second]);
    const { items } = await desk.events();
    expect(items.map(({ runId }) => runId)).toEqual([first, second]);
  });

  it('desk B5: give all events once and in one order while several write at once', async () => {
    await using opened = await open();
    const site = siteOn(opened.store, { events: { pollMs: 20 } });
    const stream = await openEvents(site.app, 'acme/grace');
    const desk = site.desk.forTenant('acme');

    const [events] = await Promise.all([
      stream.take(60),
      ...Array.from({ length: 6 }, async () => {
        for (let index = 0; index < 10; index++) await desk.start('teller', 'Hi');
      }),
    ]);
    await stream.cancel();

    const { items } = await desk.events({ limit: 500 });
    expect(items).toHaveLength(60);
    expect(events.map(({ event }) => event.id)).toEqual(items.map(({ id }) => id));
  });

  it('include a long backlog, page by page', { timeout: 120_000 }, async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const desk = site.desk.forTenant('acme');
    const first = await openEvents(site.app, 'acme/grace');
    await desk.start('teller', 'Hi');
    const [seen] = await first.take(1);
    await first.cancel();
    const runIds: string[] = [];
    for (let index = 0; index < 450; index++) runIds.push(await desk.start('teller', 'Hi'));

    const second = await openEvents(site.app, 'acme/grace', seen!.lastId);
    const events = await second.take(450);
    await second.cancel();

    expect(events.map(({ event }) => event.runId).toSorted()).toEqual(runIds.toSorted());
  });

  it('are read by the client once each, over several connections', {
    timeout: 60_000,
  }, async () => {
    await using opened = await open();
    const site = siteOn(opened.store, { events: { heartbeatMs: 20, maxStreamMs: 150 } });
    const stop = new AbortController();
    const runIds: string[] = [];
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of site.client('acme/ada').events({ signal: stop.signal })) {
        if (event.kind === 'run-started') seen.push(event.runId);
        if (seen.length === 6) stop.abort();
      }
    })();
    await sleep(100);

    for (let index = 0; index < 6; index++) {
      runIds.push(await site.desk.forTenant('acme').start('teller', 'Hi'));
      await opened.clock.advance(300);
      await sleep(300);
    }
    await reading;

    expect(seen).toEqual(runIds);
  });
}
