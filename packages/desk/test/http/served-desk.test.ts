import { type Authorize, Desk, sqliteStore, openDesk, ServedDesk } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';

const agents = { teller: { agent: teller, deps: () => newBank() } };
const asAda: Authorize = () => ({ tenant: 'acme', person: { id: 'ada' } });
const ask = (path: string) => new Request(`http://desk.test${path}`);

describe('a desk that is opened', () => {
  it('is served by its fetch, which needs no desk before it', async () => {
    const desk = openDesk({ store: await sqliteStore(), agents, authorize: asAda });
    const runId = await desk.forTenant('acme').start('teller', 'Hi');
    await desk.start('teller', 'Hi');
    const { fetch } = desk;

    const response = await fetch(ask('/v1/runs'));

    // The tenant is that of the caller, not that of the desk.
    expect(desk.tenant).toBe('default');
    expect(await response.json()).toMatchObject({ items: [{ id: runId }] });
  });

  it('rejects every request without `authorize`', async () => {
    const desk = openDesk({ store: await sqliteStore(), agents });

    for (const path of ['/v1/runs', '/v1/events', '/v1/nothing', '/v1/health', '/v1/me']) {
      const response = await desk.fetch(ask(path));
      expect(response.status, path).toBe(401);
      expect(await response.json()).toMatchObject({
        code: 'no-authorize',
        detail: expect.stringContaining('Pass `authorize`'),
      });
    }
  });

  it('cannot be served for one tenant, because `authorize` names the tenant', async () => {
    const desk = openDesk({ store: await sqliteStore(), agents, authorize: asAda });

    expect(desk).toBeInstanceOf(ServedDesk);
    expect(desk).toBeInstanceOf(Desk);
    expect(desk.forTenant('acme')).not.toHaveProperty('fetch');
    expectTypeOf(desk.fetch).toEqualTypeOf<(request: Request) => Promise<Response>>();
    expectTypeOf(desk.forTenant('acme')).not.toHaveProperty('fetch');
    expectTypeOf(desk.agents).toEqualTypeOf<readonly 'teller'[]>();
  });

  it('ends its streams and opens no other, also before the first request', async () => {
    const store = await sqliteStore();
    const desk = openDesk({ store, agents, authorize: asAda });
    const { body } = await desk.fetch(ask('/v1/events'));
    const unasked = openDesk({ store, agents, authorize: asAda });

    await desk.closeStreams();
    await unasked.closeStreams();

    const reader = body!.getReader();
    while (!(await reader.read()).done);
    for (const one of [desk, unasked]) {
      const rejected = await one.fetch(ask('/v1/events'));
      expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await rejected.json()).toMatchObject({ code: 'closed' });
      expect((await one.fetch(ask('/v1/runs'))).status).toBe(200);
    }
  });

  it.each([
    [{ maxBytes: Number.NaN }],
    [{ maxBytes: Number.POSITIVE_INFINITY }],
    [{ maxBytes: 0 }],
    [{ events: { perPerson: Number.NaN } }],
    [{ events: { perTenant: 1.5 } }],
    // A timer with a longer delay would fire at once.
    [{ events: { heartbeatMs: 3_000_000_000 } }],
    [{ events: { maxStreamMs: Number.POSITIVE_INFINITY } }],
    [{ basePath: 'desk' }],
    [{ basePath: '/:tenant' }],
    [{ basePath: '/*' }],
  ])('is rejected with limits that are none, at once: %o', async (http) => {
    const store = await sqliteStore();

    expect(() => openDesk({ store, agents, http })).toThrow(UserError);
  });

  it('is rejected if `authorize` is not a function', async () => {
    // Programs without types may pass any value.
    const authorize = 'everybody' as unknown as Authorize;
    const store = await sqliteStore();

    expect(() => openDesk({ store, agents, authorize })).toThrow('Pass a function');
  });
});
