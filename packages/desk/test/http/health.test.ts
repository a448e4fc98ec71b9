import { sqliteStore, openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { countingStore } from './support/counting-store.ts';
import { siteOf, siteOn } from './support/site.ts';

describe('desk B19: a health check without credentials', () => {
  it('reports that the process and its store respond, and nothing else', async () => {
    const counted = countingStore(await sqliteStore());
    const site = siteOn(counted.store);

    for (const path of ['/livez', '/readyz']) {
      const { status, text, headers } = await site.ask('', 'GET', path);
      expect([path, status, text]).toEqual([path, 200, '{"status":"ok"}']);
      expect(headers.get('set-cookie')).toBeNull();
    }
    for (let times = 0; times < 20; times++) await site.ask('', 'GET', '/readyz');
    expect(counted.queries()).toHaveLength(1);
    expect((await site.ask('', 'GET', '/v1/health')).status).toBe(401);
    expect((await site.ask('', 'GET', '/v1/runs')).status).toBe(401);
  });

  it('fails while the desk drains, and other requests are served', async () => {
    const desk = openDesk({ store: await sqliteStore(), agents: {} });
    const site = siteOf(desk);
    const statusOf = async (path: string) =>
      (await desk.fetch(new Request(`http://desk.test${path}`))).status;
    expect(await statusOf('/readyz')).toBe(200);

    await desk.closeStreams();

    expect(await statusOf('/readyz')).toBe(503);
    expect(await statusOf('/livez')).toBe(200);
    expect((await site.ask('', 'GET', '/v1/runs')).status).toBe(401);
  });

  it('fails while the store fails, without details', async () => {
    const store = Object.assign(Object.create(await sqliteStore()), {
      read: () => Promise.reject(new Error('hunter2')),
    });
    const errors: unknown[] = [];
    const site = siteOf(openDesk({ store, agents: {}, onError: (error) => errors.push(error) }));

    const ready = await site.ask('', 'GET', '/readyz');

    expect([ready.status, ready.text]).toEqual([503, '{"status":"unavailable"}']);
    expect((await site.ask('', 'GET', '/livez')).status).toBe(200);
    expect(errors).toMatchObject([{ message: 'hunter2' }]);
  });
});
