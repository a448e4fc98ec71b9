import { type Desk, sqliteStore, openDesk, type Store } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { deskApp, type DeskAppOptions } from '@holdpoint/desk/http';
import { type SignIn, signIn, type SignInOptions } from '@holdpoint/desk/sign-in';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { onlyHold } from '../support/people.ts';
import { Browser } from './support/browser.ts';
import { countingStore } from './support/counting-store.ts';

const AN_HOUR = 3_600_000;
const COOKIE = '__Host-holdpoint';

interface SessionSite {
  readonly desk: Desk;
  readonly signIn: SignIn;
  readonly at: (path: string) => string;
  newBrowser(): Browser;
  /** Opens a browser and signs a person in. */
  browserOf(id: string, roles?: readonly string[]): Promise<Browser>;
}

function sessionSiteOn(
  store: Store,
  options: Partial<SignInOptions> = {},
  http: DeskAppOptions = {},
): SessionSite {
  const url = options.url ?? 'https://desk.example/base';
  const agents = { teller: { agent: teller, deps: () => newBank() } };
  const desk = openDesk({ store, agents, url });
  const signInProvider = signIn({ store, url, ...options });
  const basePath = new URL(url).pathname;
  const app = deskApp(desk, { signIn: signInProvider, basePath, ...http });
  const newBrowser = () => new Browser(app.fetch);
  return {
    desk,
    signIn: signInProvider,
    at: (path) => `${url}${path}`,
    newBrowser,
    async browserOf(id, roles = []) {
      const browser = newBrowser();
      const { url: link } = await signInProvider.signInLink({
        tenant: 'default',
        person: { id },
        roles,
      });
      const token = new URL(link).searchParams.get('token') ?? '';
      await browser.submit(`${url}/enter`, { token });
      return browser;
    },
  };
}

const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? '';

describe.each(STORES)('sign-in link %s', (_, open) => {
  it('shows a button that signs in one person, once', async () => {
    await using opened = await open();
    const { signIn: signInProvider, at, newBrowser } = sessionSiteOn(opened.store);
    const person = { id: 'grace', name: 'Grace' };
    const { url: link } = await signInProvider.signInLink({
      tenant: 'default',
      person,
      roles: ['treasurer'],
    });
    const browser = newBrowser();

    const entry = await browser.open(link);
    expect(entry.status).toBe(200);
    expect(entry.text).toMatch(/Grace \(grace\)/);
    expect(entry.text).toContain('action="/base/enter"');
    expect(browser.cookie(link, COOKIE)).toBeUndefined();
    const inside = await browser.submit(at('/enter'), { token: tokenIn(link) });

    expect(inside.url).toBe(at('/inbox'));
    expect((await browser.own(at('/v1/me'))).json).toEqual({
      agents: ['teller'],
      denyReasons: [],
      person,
      roles: ['treasurer'],
      tenant: 'default',
      signOut: '/base/sign-out',
    });
    const second = newBrowser();
    expect((await second.open(link)).status).toBe(410);
    expect((await second.submit(at('/enter'), { token: tokenIn(link) })).status).toBe(410);
    expect((await second.own(at('/v1/me'))).status).toBe(401);
  });

  it('signs in only by its form, once, and before it expires', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const { signIn: signInProvider, at, newBrowser } = sessionSiteOn(counted.store);
    const caller = { tenant: 'default', person: { id: 'grace' } };
    const { url: link } = await signInProvider.signInLink({ ...caller, expiresAfter: 1_000 });
    const browser = newBrowser();
    const before = counted.writes();

    for (const method of ['GET', 'HEAD']) {
      const { headers } = await browser.ask(link, {
        method,
        headers: { 'sec-purpose': 'prefetch' },
      });
      expect(headers.getSetCookie()).toEqual([]);
      expect(headers.get('referrer-policy')).toBe('strict-origin');
    }
    expect(counted.writes()).toBe(before);
    const sly = await newBrowser().submitFrom('https://evil.example', at('/enter'), {
      token: tokenIn(link),
    });
    expect(sly.status).toBe(403);
    opened.clock.advance(1_000);
    expect((await browser.submit(at('/enter'), { token: tokenIn(link) })).status).toBe(410);
    for (const token of ['', 'a'.repeat(43)]) {
      expect((await browser.submit(at('/enter'), { token })).status).toBe(410);
    }
    expect((await browser.own(at('/v1/me'))).status).toBe(401);
  });
});

describe.each(STORES)('a session %s', (_, open) => {
  it('has a cookie that scripts and other sites cannot use', async () => {
    await using opened = await open();
    const { signIn: signInProvider, at, newBrowser } = sessionSiteOn(opened.store);
    const { url: link } = await signInProvider.signInLink({
      tenant: 'default',
      person: { id: 'grace' },
    });
    const form = new URLSearchParams({ token: tokenIn(link) }).toString();

    const { headers, status } = await newBrowser().ask(at('/enter'), {
      method: 'POST',
      body: form,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://desk.example',
      },
    });

    expect(status).toBe(303);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-holdpoint=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });

  it('has a cookie without the prefix on this machine without TLS', async () => {
    await using opened = await open();
    const { browserOf, at } = sessionSiteOn(opened.store, { url: 'http://127.0.0.1:4680' });
    const browser = await browserOf('grace');

    expect(browser.cookie(at(''), 'holdpoint')).toMatch(/^[\w-]{43}$/);
    expect((await browser.own(at('/v1/me'))).json.signOut).toBe('/sign-out');
  });

  it('ends without activity of the person, even if an open page polls', async () => {
    await using opened = await open();
    const { browserOf, at } = sessionSiteOn(opened.store, { idleAfter: AN_HOUR });
    const [used, left] = [await browserOf('grace'), await browserOf('ada')];

    for (let round = 0; round < 3; round += 1) {
      opened.clock.advance(AN_HOUR / 2);
      expect((await used.own(at('/v1/me'))).status).toBe(200);
      await left.ask(at('/v1/events'), { method: 'HEAD' });
    }

    expect((await left.own(at('/v1/me'))).status).toBe(401);
  });

  it('ends after its maximum duration despite activity', async () => {
    await using opened = await open();
    const { browserOf, at } = sessionSiteOn(opened.store, { endsAfter: AN_HOUR });
    const browser = await browserOf('grace');

    for (let minute = 0; minute < 60; minute += 20) {
      expect((await browser.own(at('/v1/me'))).status).toBe(200);
      opened.clock.advance(20 * 60_000);
    }

    expect((await browser.own(at('/v1/me'))).status).toBe(401);
  });

  it('ends when the person signs out or an operator ends it', async () => {
    await using opened = await open();
    const { signIn: signInProvider, browserOf, at } = sessionSiteOn(opened.store);
    const [one, two, other] = [
      await browserOf('grace'),
      await browserOf('grace'),
      await browserOf('ada'),
    ];
    const token = one.cookie(at(''), COOKIE) ?? '';

    const { status, headers } = await one.own(at('/sign-out'), {});
    expect([status, headers.getSetCookie()[0]]).toEqual([
      200,
      expect.stringMatching(/^__Host-holdpoint=; Max-Age=0; Path=\/; HttpOnly; Secure/),
    ]);
    one.cookies.get('desk.example')?.set(COOKIE, token);
    expect((await one.own(at('/v1/me'))).status).toBe(401);
    expect((await two.own(at('/v1/me'))).status).toBe(200);

    expect(await signInProvider.endSessionsOf('grace')).toBe(1);
    expect((await two.own(at('/v1/me'))).status).toBe(401);
    expect((await other.own(at('/v1/me'))).status).toBe(200);
  });

  it('desk B18: ends with all links of the person, in any spelling of the id', async () => {
    await using opened = await open();
    const { desk, signIn: signInProvider, newBrowser, browserOf, at } = sessionSiteOn(opened.store);
    const browsers = [await browserOf('Ada@Example.com'), await browserOf('ada@example.com')];
    const { url: entry } = await signInProvider.signInLink({
      tenant: 'default',
      person: { id: 'ADA@example.com' },
    });
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const linkFor = (id: string) =>
      desk.decisionLink(hold.id, { for: { id }, expiresAfter: AN_HOUR });
    const [theirs, another] = [await linkFor('Ada@example.com'), await linkFor('grace')];

    expect(await signInProvider.endSessionsOf('aDA@example.COM')).toBe(2);

    for (const browser of browsers) expect((await browser.own(at('/v1/me'))).status).toBe(401);
    const late = newBrowser();
    await late.submit(at('/enter'), { token: tokenIn(entry) });
    expect((await late.own(at('/v1/me'))).status).toBe(401);
    const statusOf = async (url: string) => (await desk.openLink(url.split('/').at(-1)!))?.status;
    expect([await statusOf(theirs.url), await statusOf(another.url)]).toEqual(['revoked', 'open']);
    const audit = await desk.audit(runId);
    expect(audit.filter(({ kind }) => kind === 'link-revoked')).toMatchObject([
      { data: { link: theirs.id } },
    ]);
  });

  it('is new for each sign-in, and the previous one ends', async () => {
    await using opened = await open();
    const { signIn: signInProvider, newBrowser, browserOf, at } = sessionSiteOn(opened.store);
    const attacker = await browserOf('eve');
    const planted = attacker.cookie(at(''), COOKIE) ?? '';
    const victim = newBrowser();
    victim.cookies.set('desk.example', new Map([[COOKIE, planted]]));

    const { url: link } = await signInProvider.signInLink({
      tenant: 'default',
      person: { id: 'grace' },
    });
    await victim.submit(at('/enter'), { token: tokenIn(link) });

    expect(victim.cookie(at(''), COOKIE)).not.toBe(planted);
    expect((await victim.own(at('/v1/me'))).json.person.id).toBe('grace');
    expect((await attacker.own(at('/v1/me'))).status).toBe(401);
    const made = newBrowser();
    made.cookies.set('desk.example', new Map([[COOKIE, 'a'.repeat(43)]]));
    expect((await made.own(at('/v1/me'))).status).toBe(401);
  });

  it('is stored as a hash only', async () => {
    await using opened = await open();
    const { browserOf, at } = sessionSiteOn(opened.store);
    const browser = await browserOf('grace');

    const rows = await opened.store.read((tx) =>
      tx.tokens.findAbout('default', 'session', 'grace'),
    );

    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(browser.cookie(at(''), COOKIE));
  });

  it('is no link, and a link is no session', async () => {
    await using opened = await open();
    const { desk, signIn: signInProvider, browserOf, newBrowser, at } = sessionSiteOn(opened.store);
    const browser = await browserOf('grace');
    const session = browser.cookie(at(''), COOKIE) ?? '';
    const { url: entry } = await signInProvider.signInLink({
      tenant: 'default',
      person: { id: 'grace' },
    });
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const decision = await desk.decisionLink(hold.id, {
      for: { id: 'grace' },
      expiresAfter: AN_HOUR,
    });

    const decisionToken = decision.url.split('/').at(-1) ?? '';
    for (const token of [tokenIn(entry), decisionToken]) {
      const thief = newBrowser();
      thief.cookies.set('desk.example', new Map([[COOKIE, token]]));
      expect((await thief.own(at('/v1/me'))).status).toBe(401);
    }
    for (const token of [session, decisionToken]) {
      expect((await newBrowser().submit(at('/enter'), { token })).status).toBe(410);
    }
    for (const token of [session, tokenIn(entry)]) {
      const { status } = await newBrowser().submit(at(`/links/${token}`), { decision: 'approve' });
      expect(status).toBe(404);
    }
    expect((await desk.hold(hold.id)).state).toBe('open');
  });
});

describe('a request with a cookie that changes something', () => {
  const siteWithHold = async () => {
    const site = sessionSiteOn(await sqliteStore());
    const { desk } = site;
    const runId = await desk.start('teller', 'pay acme', { requester: { id: 'ada' } });
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const body = JSON.stringify({ digest: hold.digest, decision: { kind: 'approve' } });
    const url = site.at(`/v1/holds/${hold.id}/decision`);
    const state = async () => (await desk.hold(hold.id)).state;
    return { ...site, hold, body, url, state, grace: await site.browserOf('grace') };
  };
  const OWN = {
    'content-type': 'application/json',
    'x-holdpoint-csrf': '1',
    origin: 'https://desk.example',
    'sec-fetch-site': 'same-origin',
  };

  it.each<[string, Record<string, string | undefined>]>([
    [
      'by a form of another site',
      {
        'content-type': 'application/x-www-form-urlencoded',
        'x-holdpoint-csrf': undefined,
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      },
    ],
    [
      'by a form that sends JSON as text',
      {
        'content-type': 'text/plain',
        'x-holdpoint-csrf': undefined,
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      },
    ],
    [
      'by a script of another site',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ],
    [
      'by a script of another site of the same owner',
      { origin: 'https://blog.desk.example', 'sec-fetch-site': 'same-site' },
    ],
    ['with another origin, whatever else it says', { origin: 'https://evil.example' }],
    ['from a frame without an origin', { origin: 'null', 'sec-fetch-site': undefined }],
    ['without the header', { 'x-holdpoint-csrf': undefined }],
    ['by a browser that says nothing', { origin: undefined, 'sec-fetch-site': undefined }],
    ['as text', { 'content-type': 'text/plain' }],
    ['as text with a little JSON', { 'content-type': 'text/plain; application/json' }],
    ['without a type', { 'content-type': undefined }],
  ])('is rejected %s', async (_, changes) => {
    const { grace, url, body, state } = await siteWithHold();
    const all = Object.entries({ ...OWN, ...changes }).filter(([, value]) => value !== undefined);

    const { status } = await grace.ask(url, {
      method: 'POST',
      body,
      headers: Object.fromEntries(all) as Record<string, string>,
    });

    expect([403, 415]).toContain(status);
    expect(await state()).toBe('open');
  });

  it('is rejected with a method override', async () => {
    const { grace, url, body, state } = await siteWithHold();
    const foreign = {
      cookie: '',
      'content-type': 'application/json',
      'sec-fetch-site': 'cross-site',
    };

    for (const [name, value] of [
      ['x-http-method-override', 'POST'],
      ['x-method-override', 'POST'],
      ['x-http-method', 'POST'],
    ] as const) {
      const { status } = await grace.ask(`${url}?_method=POST`, {
        method: 'GET',
        headers: { ...foreign, [name]: value },
      });
      expect(status).toBe(404);
    }
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect((await grace.ask(url, { method, body, headers: foreign })).status).toBe(403);
    }
    expect(await state()).toBe('open');
  });

  it('sends no CORS headers to scripts of other sites', async () => {
    const { grace, url } = await siteWithHold();

    const { headers } = await grace.ask(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-holdpoint-csrf',
      },
    });

    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('is rejected on every route that changes something', async () => {
    const { grace, at, hold } = await siteWithHold();
    const { json } = await grace.own(at('/v1/openapi.json'));
    const paths = Object.entries(json.paths as Record<string, object>)
      // The token in a callback address is its only credential; the cookie has no effect there.
      .filter(([path, methods]) => 'post' in methods && !path.startsWith('/v1/callbacks/'))
      .map(([path]) => path.replace('{holdId}', hold.id).replaceAll(/\{\w+\}/g, hold.runId));

    expect(paths.length).toBeGreaterThan(4);
    for (const path of [...paths, '/base/sign-out']) {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' };
      const url = path.startsWith('/base') ? `https://desk.example${path}` : at(path);
      const { status, json: said } = await grace.ask(url, { method: 'POST', body: '{}', headers });
      expect([path, status, said.code]).toEqual([path, 403, 'foreign-site']);
    }
    expect((await grace.own(at('/v1/me'))).status).toBe(200);
  });

  it('security L7: is rejected from another site although a proxy has added a bearer token', async () => {
    const { grace, url, body, state, at } = await siteWithHold();
    const headers = {
      'content-type': 'application/json',
      authorization: 'Bearer of-the-proxy',
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    };

    const decided = await grace.ask(url, { method: 'POST', body, headers });
    const signedOut = await grace.ask(at('/sign-out'), { method: 'POST', body: '{}', headers });

    expect([decided.status, signedOut.status]).toEqual([403, 403]);
    expect(await state()).toBe('open');
    expect((await grace.own(at('/v1/me'))).json.person.id).toBe('grace');
  });

  it('is accepted from the page, and with a bearer token without the header', async () => {
    const { grace, url, body, state } = await siteWithHold();
    expect((await grace.ask(url, { method: 'POST', body, headers: OWN })).status).toBe(200);
    expect(await state()).toBe('decided');

    const store = await sqliteStore();
    const { desk, at, newBrowser } = sessionSiteOn(
      store,
      {},
      {
        authorize: ({ headers }) =>
          headers.get('authorization') === 'Bearer x'
            ? { tenant: 'default', person: { id: 'robot' } }
            : undefined,
      },
    );
    const robot = newBrowser();
    robot.cookies.set('desk.example', new Map([['unrelated', 'cookie']]));
    const { status } = await robot.ask(at('/v1/runs'), {
      method: 'POST',
      body: JSON.stringify({ agent: 'teller', prompt: 'Hi' }),
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    });
    expect(status).toBe(201);
    expect((await desk.runs()).items).toHaveLength(1);
  });

  it('is accepted from the typed client in a browser', async () => {
    const { grace, hold, at } = await siteWithHold();
    const client = deskClient({
      url: at(''),
      async fetch(request) {
        // Headers that a browser adds.
        const headers = new Headers(request.headers);
        headers.set('origin', 'https://desk.example');
        const body = request.method === 'POST' ? await request.text() : undefined;
        const { method } = request;
        const page = await grace.ask(request.url, { method, headers, ...(body && { body }) });
        return Response.json(page.json, { status: page.status });
      },
    });

    expect((await client.me()).person.id).toBe('grace');
    const { id, digest } = hold;
    expect(await client.decide(id, { digest, decision: { kind: 'approve' } })).toMatchObject({
      state: 'decided',
    });
  });

  it('is rejected if the application authenticates with other cookies', async () => {
    const { at, newBrowser, desk } = sessionSiteOn(
      await sqliteStore(),
      {},
      {
        signIn: undefined,
        authorize: ({ headers }) =>
          headers.get('cookie') === 'app=grace'
            ? { tenant: 'default', person: { id: 'grace' }, signOut: '/logout' }
            : undefined,
      },
    );
    const browser = newBrowser();
    browser.cookies.set('desk.example', new Map([['app', 'grace']]));
    const start = { agent: 'teller', prompt: 'Hi' };
    const { status } = await browser.ask(at('/v1/runs'), {
      method: 'POST',
      body: JSON.stringify(start),
      headers: { 'content-type': 'application/json' },
    });

    expect(status).toBe(403);
    expect((await desk.runs()).items).toEqual([]);
    expect((await browser.own(at('/v1/runs'), start)).status).toBe(201);
    expect((await browser.own(at('/v1/me'))).json.signOut).toBe('/logout');
  });
});
