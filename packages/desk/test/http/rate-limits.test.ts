import { openDesk, sqliteStore } from '@holdpoint/desk';
import { signIn } from '@holdpoint/desk/sign-in';
import { describe, expect, it } from 'vitest';

const URL_OF_DESK = 'https://desk.test';

async function limitedDesk() {
  const store = await sqliteStore();
  return openDesk({
    store,
    agents: {},
    url: URL_OF_DESK,
    signIn: signIn({ store, url: URL_OF_DESK }),
    authorize: (request) => {
      const id = request.headers.get('authorization');
      return id === null ? undefined : { tenant: 't', person: { id }, credential: 'token' };
    },
    http: {
      rateLimits: {
        signInPerMinute: 2,
        linksPerMinute: 2,
        writesPerMinute: 2,
        addressOf: (request) => request.headers.get('x-address') ?? undefined,
      },
    },
  });
}

describe('rate limits', () => {
  it.each(['/enter?token=x', '/links/x'])(
    'reject further visits of %s from one address',
    async (path) => {
      await using desk = await limitedDesk();
      const visit = async (address: string) =>
        desk.fetch(new Request(`${URL_OF_DESK}${path}`, { headers: { 'x-address': address } }));

      await visit('1.1.1.1');
      expect((await visit('1.1.1.1')).status).not.toBe(429);
      const rejected = await visit('1.1.1.1');

      expect(rejected.status).toBe(429);
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await visit('2.2.2.2')).status).not.toBe(429);
    },
  );

  it('reject further writes of one person, and no reads', async () => {
    await using desk = await limitedDesk();
    const send = async (id: string, method: string) =>
      desk.fetch(
        new Request(`${URL_OF_DESK}/v1/runs`, {
          method,
          headers: { authorization: id, 'content-type': 'application/json' },
          ...(method === 'POST' && { body: '{}' }),
        }),
      );

    for (let times = 0; times < 2; times++) expect((await send('ada', 'POST')).status).toBe(400);
    const rejected = await send('ada', 'POST');

    expect(rejected.status).toBe(429);
    expect(rejected.headers.get('content-type')).toBe('application/problem+json');
    expect(await rejected.json()).toMatchObject({ code: 'rate-limited', status: 429 });
    expect((await send('bo', 'POST')).status).toBe(400);
    expect((await send('ada', 'GET')).status).toBe(200);
  });

  it('are rejected if they are unknown or not above 0', async () => {
    const store = await sqliteStore();
    const open = (rateLimits: object) => openDesk({ store, agents: {}, http: { rateLimits } });
    expect(() => open({ writePerMinute: 1 })).toThrow('Did you mean `writesPerMinute`?');
    expect(() => open({ linksPerMinute: 0 })).toThrow('Pass a whole number above 0.');
  });
});
