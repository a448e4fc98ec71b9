import { sqliteStore, openDesk } from '@holdpoint/desk';
import { deskApp } from '@holdpoint/desk/http';
import { type OpenIdOptions, signIn } from '@holdpoint/desk/sign-in';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { onlyHold } from '../support/people.ts';
import { Browser, type Page } from './support/browser.ts';
import { type Accounts, type OpenIdProvider, openProvider } from './support/provider.ts';

const URL_OF_DESK = 'https://desk.example/base';
const COOKIE = '__Host-holdpoint';
const BEGUN = '__Host-holdpoint-sign-in';
const SECRET = 'a secret+of/the desk';

const ACCOUNTS: Accounts = {
  grace: { name: 'Grace', roles: ['treasurer', 7, ''], groups: { inner: ['admins'] } },
  'grace-at-home': { name: 'Grace', employee: 'E1' },
  'grace-at-work': { name: 'Grace', employee: 'E1' },
  stranger: { name: 'Nobody' },
  mallory: { name: 'Grace\u202E<script>', roles: 'treasurer' },
};

let provider: OpenIdProvider;

beforeAll(async () => {
  // The provider warns about settings that are only for tests.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const redirectUri = `${URL_OF_DESK}/sign-in/callback`;
  provider = await openProvider({ redirectUri, accounts: ACCOUNTS });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await provider[Symbol.asyncDispose]();
});

const at = (path: string) => `${URL_OF_DESK}${path}`;

async function openSite(options: Partial<OpenIdOptions> = {}, rules: object = {}) {
  const store = await sqliteStore();
  const errors: unknown[] = [];
  const agents = { teller: { agent: teller, deps: () => newBank() } };
  const desk = openDesk({ store, agents, url: URL_OF_DESK, ...rules });
  const { issuer } = provider;
  const openId = { issuer, clientId: 'desk', clientSecret: SECRET, ...options };
  const onError = (error: unknown) => errors.push(error);
  const signInProvider = signIn({ store, url: URL_OF_DESK, openId, onError });
  const app = deskApp(desk, { signIn: signInProvider, basePath: '/base' });
  const newBrowser = () =>
    new Browser((request) =>
      request.url.startsWith('https://desk.example') ? app.fetch(request) : fetch(request),
    );
  const enter = async (account: string, path = '/sign-in') => {
    const browser = newBrowser();
    const login = await browser.open(at(path));
    const end = await provider.signIn(browser, login, account);
    return { browser, end, me: (await browser.own(at('/v1/me'))).json };
  };
  return { desk, store, errors, newBrowser, enter };
}

/** The redirect back from the provider, before the desk sees it. */
async function stoppedAtCallback(browser: Browser, login: Page, account: string): Promise<string> {
  const seen: string[] = [];
  const stopping = new Browser(async (request) => {
    if (!request.url.startsWith('https://desk.example')) return fetch(request);
    seen.push(request.url);
    return new Response('stopped');
  });
  for (const [host, cookies] of browser.cookies) stopping.cookies.set(host, new Map(cookies));
  await provider.signIn(stopping, login, account);
  return seen[0] ?? '';
}

describe('desk B26: the tenant of a person who signs in', () => {
  it('is returned by a function of the claims', async () => {
    const { enter } = await openSite({ tenant: ({ sub }) => `tenant-of-${sub}` });

    const { me } = await enter('ada');

    expect(me).toMatchObject({ tenant: 'tenant-of-ada' });
  });

  it.each<[string, () => string | undefined, number]>([
    ['returns no tenant', () => undefined, 403],
    [
      'throws',
      () => {
        throw new Error('hunter2');
      },
      502,
    ],
    ['returns what is no tenant', () => '', 502],
  ])('is none if the function %s, and the person has no access', async (_, tenant, status) => {
    const { enter, errors } = await openSite({ tenant });

    const { end, me } = await enter('ada');

    expect(end.status).toBe(status);
    expect(end.text).not.toContain('hunter2');
    expect(me.code).toBe('unauthenticated');
    expect(errors).toHaveLength(status === 502 ? 1 : 0);
  });
});

describe('sign-in with a provider', () => {
  it('creates a session for the issuer and subject of the claims, with roles', async () => {
    const { enter } = await openSite();

    const { browser, end, me } = await enter('grace');

    expect(end.url).toBe(at('/inbox'));
    expect(me).toEqual({
      agents: ['teller'],
      denyReasons: [],
      person: { id: `${provider.issuer}#grace`, name: 'Grace' },
      roles: ['treasurer'],
      tenant: 'default',
      signOut: '/base/sign-out',
    });
    expect(browser.cookie(at(''), COOKIE)).toMatch(/^[\w-]{43}$/);
    expect(browser.cookie(at(''), BEGUN)).toBeUndefined();
  });

  it('returns the visitor to the requested page, and to no other site', async () => {
    const { enter } = await openSite();
    const wanted = encodeURIComponent('/base/inbox/holds/1?a=b');

    expect((await enter('grace', `/sign-in?returnTo=${wanted}`)).end.url).toBe(
      at('/inbox/holds/1?a=b'),
    );
    for (const elsewhere of ['https://evil.example', '//evil.example', '/\\evil.example']) {
      const path = `/sign-in?returnTo=${encodeURIComponent(elsewhere)}`;
      expect((await enter('grace', path)).end.url).toBe(at('/inbox'));
    }
  });

  it('returns to no other site with a changed cookie', async () => {
    const { newBrowser } = await openSite();
    const browser = newBrowser();
    const login = await browser.open(at('/sign-in'));
    const begun = JSON.parse(
      Buffer.from(browser.cookie(at(''), BEGUN) ?? '', 'base64url').toString(),
    );
    const changed = { ...begun, returnTo: 'https://evil.example/base/inbox' };
    const text = Buffer.from(JSON.stringify(changed)).toString('base64url');
    browser.cookies.get('desk.example')?.set(BEGUN, text);

    const { url } = await provider.signIn(browser, login, 'grace');

    expect(new URL(url).host).toBe('desk.example');
  });

  it('sends PKCE, state and nonce, new for each sign-in', async () => {
    const { newBrowser } = await openSite();
    const requests = async () => {
      const { status, headers } = await newBrowser().ask(at('/sign-in'));
      expect(status).toBe(303);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-holdpoint-sign-in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        ),
      ]);
      return new URL(headers.get('location') ?? '').searchParams;
    };

    const [one, two] = [await requests(), await requests()];

    expect(Object.fromEntries(one)).toMatchObject({
      response_type: 'code',
      client_id: 'desk',
      code_challenge_method: 'S256',
      redirect_uri: at('/sign-in/callback'),
      scope: 'openid profile',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(one.get(name)?.length).toBeGreaterThan(40);
      expect(one.get(name)).not.toBe(two.get(name));
    }
  });

  it('rejects a callback in another browser', async () => {
    const { newBrowser, errors } = await openSite();
    const attacker = newBrowser();
    const login = await attacker.open(at('/sign-in'));
    const callback = await stoppedAtCallback(attacker, login, 'mallory');
    expect(callback).toMatch(/\/sign-in\/callback\?code=/);

    // A victim whom the attacker sends there has begun no sign-in, or another one.
    const fresh = newBrowser();
    expect((await fresh.open(callback, 'cross-site')).status).toBe(400);
    const busy = newBrowser();
    await busy.open(at('/sign-in'));
    const rejected = await busy.open(callback, 'cross-site');

    expect(rejected.status).toBe(502);
    for (const browser of [fresh, busy]) {
      expect(browser.cookie(at(''), COOKIE)).toBeUndefined();
      expect((await browser.own(at('/v1/me'))).status).toBe(401);
    }
    expect(errors).toHaveLength(1);
  });

  it.each(['state', 'nonce', 'verifier'])('rejects a callback with another %s', async (name) => {
    const { newBrowser } = await openSite();
    const browser = newBrowser();
    const login = await browser.open(at('/sign-in'));
    const kept = Buffer.from(browser.cookie(at(''), BEGUN) ?? '', 'base64url').toString();
    const changed = { ...JSON.parse(kept), [name]: 'a'.repeat(43) };
    const text = Buffer.from(JSON.stringify(changed)).toString('base64url');
    browser.cookies.get('desk.example')?.set(BEGUN, text);

    const { status } = await provider.signIn(browser, login, 'grace');

    expect(status).toBe(502);
    expect(browser.cookie(at(''), COOKIE)).toBeUndefined();
  });

  it('accepts a code once', async () => {
    const { newBrowser } = await openSite();
    const browser = newBrowser();
    const login = await browser.open(at('/sign-in'));
    const kept = browser.cookie(at(''), BEGUN) ?? '';
    const callback = await stoppedAtCallback(browser, login, 'grace');

    expect((await browser.ask(callback)).status).toBe(303);
    const thief = newBrowser();
    thief.cookies.set('desk.example', new Map([[BEGUN, kept]]));

    expect((await thief.ask(callback)).status).toBe(502);
    expect(thief.cookie(at(''), COOKIE)).toBeUndefined();
  });

  it('shows an error without quoting the provider', async () => {
    const { newBrowser } = await openSite();
    const browser = newBrowser();
    await browser.open(at('/sign-in'));
    const evil = encodeURIComponent('<script>alert(1)</script>');

    const { status, text } = await browser.open(
      at(`/sign-in/callback?error=access_denied&error_description=${evil}&state=x`),
    );

    expect(status).toBe(502);
    expect(text).not.toMatch(/script|access_denied/);
    expect(text).toMatch(/Sign in again/);
  });

  it('creates a new session, and ends the previous one', async () => {
    const { newBrowser, enter } = await openSite();
    const { browser: attacker } = await enter('mallory');
    const planted = attacker.cookie(at(''), COOKIE) ?? '';
    const victim = newBrowser();
    victim.cookies.set('desk.example', new Map([[COOKIE, planted]]));

    await provider.signIn(victim, await victim.open(at('/sign-in')), 'grace');

    expect(victim.cookie(at(''), COOKIE)).not.toBe(planted);
    expect((await victim.own(at('/v1/me'))).json.person.name).toBe('Grace');
    expect((await attacker.own(at('/v1/me'))).status).toBe(401);
  });

  it('reads roles, a list or a text, only from the configured claim', async () => {
    const inner = await openSite({ rolesClaim: 'groups.inner' });
    expect((await inner.enter('grace')).me.roles).toEqual(['admins']);

    const { enter } = await openSite();
    expect((await enter('mallory')).me.roles).toEqual(['treasurer']);
    expect((await enter('stranger')).me.roles).toEqual([]);
  });

  it('gives access to people that `personOf` accepts, and to none if it throws', async () => {
    const { enter, errors } = await openSite({
      personOf({ sub }) {
        if (sub === 'mallory') throw new Error('hunter2secret');
        return sub === 'grace' ? { id: 'grace' } : undefined;
      },
    });

    expect((await enter('grace')).me.person).toEqual({ id: 'grace' });
    const stranger = await enter('stranger');
    expect(stranger.end.status).toBe(403);
    expect(stranger.me.code).toBe('unauthenticated');
    const failed = await enter('mallory');
    expect(failed.end.status).toBe(502);
    expect(failed.end.text).not.toMatch(/hunter2secret/);
    expect(failed.me.code).toBe('unauthenticated');
    expect(errors).toHaveLength(1);
  });

  it('returns the sign-in address to a page without a session', async () => {
    const { newBrowser } = await openSite();

    expect((await newBrowser().own(at('/v1/me'))).json).toMatchObject({
      code: 'unauthenticated',
      signIn: '/base/sign-in',
    });
  });

  it('stores nothing before the callback', async () => {
    const { store, newBrowser } = await openSite();
    let writes = 0;
    const write = store.write.bind(store);
    Object.assign(store, { write: (work: never) => ((writes += 1), write(work)) });

    for (let count = 0; count < 5; count += 1) await newBrowser().ask(at('/sign-in'));

    expect(writes).toBe(0);
  });

  it('fails while the provider does not respond, and can be retried', async () => {
    const { newBrowser, errors } = await openSite({ issuer: 'http://127.0.0.1:9' });

    const { status, text } = await newBrowser().ask(at('/sign-in'));

    expect([status, errors.length]).toEqual([502, 1]);
    expect(text).toMatch(/did not respond/);
  });

  it('rejects a provider without TLS', async () => {
    await expect(openSite({ issuer: 'http://login.example' })).rejects.toThrow(/https/);
    await expect(openSite({ issuer: 'login' })).rejects.toThrow(/https/);
  });
});

describe('one person with two accounts', () => {
  const approve = async (browser: Browser, holdId: string, digest: string) =>
    browser.own(at(`/v1/holds/${holdId}/decision`), { digest, decision: { kind: 'approve' } });

  const waiting = async (desk: Awaited<ReturnType<typeof openSite>>['desk']) => {
    const runId = await desk.start('teller', 'pay acme', { requester: { id: 'ada' } });
    await desk.work({ runId });
    return onlyHold(desk, runId);
  };

  it('is one voter if `personOf` returns one id', async () => {
    const { desk, enter } = await openSite(
      { personOf: ({ employee }) => (employee ? { id: String(employee) } : undefined) },
      { approvers: { count: 2 } },
    );
    const hold = await waiting(desk);
    const home = await enter('grace-at-home');
    const work = await enter('grace-at-work');
    expect(home.me.person.id).toBe(work.me.person.id);

    expect((await approve(home.browser, hold.id, hold.digest)).status).toBe(200);
    const again = await approve(work.browser, hold.id, hold.digest);

    expect(again.json.code).toBe('already-voted');
    expect((await desk.hold(hold.id)).state).toBe('open');
    // A link does not bypass this.
    const { url } = await desk.decisionLink(hold.id, { for: { id: 'E1' }, expiresAfter: 60_000 });
    expect((await work.browser.submit(url, { decision: 'approve' })).status).toBe(409);
    const other = await desk.decisionLink(hold.id, { for: { id: 'grace' }, expiresAfter: 60_000 });
    expect((await work.browser.submit(other.url, { decision: 'approve' })).status).toBe(403);
    expect((await desk.hold(hold.id)).state).toBe('open');
  });

  it('is two people without `personOf`, with an id per account', async () => {
    const { desk, enter } = await openSite({}, { approvers: { count: 2 } });
    const hold = await waiting(desk);

    for (const account of ['grace-at-home', 'grace-at-work']) {
      const { browser } = await enter(account);
      expect((await approve(browser, hold.id, hold.digest)).status).toBe(200);
    }

    const { decisions } = await desk.hold(hold.id);
    expect(decisions.map(({ by }) => by.id)).toEqual([
      `${provider.issuer}#grace-at-home`,
      `${provider.issuer}#grace-at-work`,
    ]);
  });
});

describe('a client of a provider', () => {
  it.each(['client_secret_post', 'none'] as const)('may be registered with %s', async (auth) => {
    await using other = await openProvider({ redirectUri: at('/sign-in/callback'), auth });
    const { newBrowser } = await openSite({
      issuer: other.issuer,
      clientAuth: 'post',
      ...(auth === 'none' && { clientSecret: undefined }),
    });
    const browser = newBrowser();

    await other.signIn(browser, await browser.open(at('/sign-in')), 'grace');

    expect((await browser.own(at('/v1/me'))).json.person.id).toBe(`${other.issuer}#grace`);
  });
});
