import { type Authorize, Desk, memoryStore, openDesk, ServedDesk } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';

const agents = { teller: { agent: teller, deps: () => newBank() } };
const asAda: Authorize = () => ({ tenant: 'acme', person: { id: 'ada' } });
const ask = (path: string) => new Request(`http://desk.test${path}`);

describe('a desk that is opened', () => {
  it('is served by its fetch, which needs no desk before it', async () => {
    const desk = openDesk({ store: memoryStore(), agents, authorize: asAda });
    const runId = await desk.forTenant('acme').start('teller', 'Hi');
    await desk.start('teller', 'Hi');
    const { fetch } = desk;

    const response = await fetch(ask('/runs'));

    // The tenant is that of whoever asks, not that of the desk.
    expect(desk.tenant).toBe('default');
    expect(await response.json()).toMatchObject({ items: [{ id: runId }] });
  });

  it('lets nobody in unless it is told who they are', async () => {
    const desk = openDesk({ store: memoryStore(), agents });

    for (const path of ['/', '/runs', '/events', '/openapi.json', '/health', '/me']) {
      const response = await desk.fetch(ask(path));
      expect(response.status, path).toBe(401);
      expect(await response.json()).toMatchObject({
        error: { code: 'no-authorize', message: expect.stringContaining('Give openDesk') },
      });
    }
  });

  it('is not served for one tenant only: authorize says which one', () => {
    const desk = openDesk({ store: memoryStore(), agents, authorize: asAda });

    expect(desk).toBeInstanceOf(ServedDesk);
    expect(desk).toBeInstanceOf(Desk);
    expect(desk.forTenant('acme')).not.toHaveProperty('fetch');
    expectTypeOf(desk.fetch).toEqualTypeOf<(request: Request) => Promise<Response>>();
    expectTypeOf(desk.forTenant('acme')).not.toHaveProperty('fetch');
    expectTypeOf(desk.agents).toEqualTypeOf<readonly 'teller'[]>();
  });

  it('ends its streams and opens no other, also if it was never asked', async () => {
    const store = memoryStore();
    const desk = openDesk({ store, agents, authorize: asAda });
    const { body } = await desk.fetch(ask('/events'));
    const unasked = openDesk({ store, agents, authorize: asAda });

    await desk.closeStreams();
    await unasked.closeStreams();

    const reader = body!.getReader();
    while (!(await reader.read()).done);
    for (const one of [desk, unasked]) {
      const refused = await one.fetch(ask('/events'));
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await refused.json()).toMatchObject({ error: { code: 'closed' } });
      expect((await one.fetch(ask('/runs'))).status).toBe(200);
    }
  });

  it.each([
    [{ mostBytes: Number.NaN }],
    [{ mostBytes: Number.POSITIVE_INFINITY }],
    [{ mostBytes: 0 }],
    [{ events: { perPerson: Number.NaN } }],
    [{ events: { perTenant: 1.5 } }],
    // A timer that is told to wait for longer does not wait at all.
    [{ events: { heartbeatMs: 3_000_000_000 } }],
    [{ events: { longestMs: Number.POSITIVE_INFINITY } }],
    [{ basePath: 'desk' }],
    [{ basePath: '/:tenant' }],
    [{ basePath: '/*' }],
  ])('is refused with limits that are none, at once: %o', (http) => {
    expect(() => openDesk({ store: memoryStore(), agents, http })).toThrow(UserError);
  });

  it('is refused with an authorize that is none', () => {
    // Programs without types give anything.
    const authorize = 'everybody' as unknown as Authorize;

    expect(() => openDesk({ store: memoryStore(), agents, authorize })).toThrow('Pass a function');
  });
});
