import { openDesk } from '@holdpoint/desk';
import { type DeskClient, deskClient } from '@holdpoint/desk/client';
import { deskApp } from '@holdpoint/desk/http';
import { type OpenIdOptions, type SignInOptions, signIn } from '@holdpoint/desk/sign-in';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { Browser } from './support/browser.ts';
import { type AlterTokens, type OpenIdProvider, openProvider } from './support/provider.ts';

const URL_OF_DESK = 'https://desk.example/base';
const SECRET = 'a secret+of/the desk';
const COOKIE = '__Host-holdpoint';
const ACCOUNTS = { grace: { name: 'Grace', roles: ['treasurer'] }, stranger: { name: 'Nobody' } };
const redirectUri = `${URL_OF_DESK}/sign-in/callback`;

/** The next response of the token endpoint. If it is missing, the endpoint responds itself. */
let alterTokens: AlterTokens | undefined;
let provider: OpenIdProvider;

beforeAll(async () => {
  // The provider warns about settings that are only for tests.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(console, 'info').mockImplementation(() => {});
  provider = await openProvider({
    redirectUri,
    accounts: ACCOUNTS,
    deviceCodeTtl: 60,
    alterTokens: (response, sign) => alterTokens?.(response, sign) ?? response,
  });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await provider[Symbol.asyncDispose]();
});

async function openSite(openId: Partial<OpenIdOptions> = {}, options: Partial<SignInOptions> = {}) {
  const { store, clock } = await STORES[0]![1]();
  const errors: unknown[] = [];
  const lines: unknown[] = [];
  const log = (fields: object) => void lines.push(fields);
  const logger = { error: log, warn: log, info: log, debug: log };
  const agents = { teller: { agent: teller, deps: () => newBank() } };
  const desk = openDesk({ store, agents, url: URL_OF_DESK });
  const signInProvider = signIn({
    store,
    url: URL_OF_DESK,
    openId: {
      issuer: provider.issuer,
      clientId: 'desk',
      clientSecret: SECRET,
      deviceFlow: true,
      ...openId,
    },
    onError: (error) => errors.push(error),
    logger,
    ...options,
  });
  const passed: (string | null)[] = [];
  const app = deskApp(desk, {
    signIn: signInProvider,
    basePath: '/base',
    authorize({ headers }) {
      passed.push(headers.get('authorization'));
      return undefined;
    },
  });
  const client = (token?: string): DeskClient =>
    deskClient({
      url: URL_OF_DESK,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      fetch: app.fetch,
    });
  /** Signs a program in as an account. */
  const enter = async (account: string) => {
    const code = await client().beginDeviceSignIn();
    await provider.enterCode(new Browser(fetch), code, account);
    const found = await client().finishDeviceSignIn(code.deviceCode);
    return { code, found, token: found.state === 'signed-in' ? found.token : '' };
  };
  const newBrowser = () =>
    new Browser((request) =>
      request.url.startsWith('https://desk.example') ? app.fetch(request) : fetch(request),
    );
  return { desk, store, clock, errors, lines, passed, client, enter, newBrowser, signInProvider };
}

describe('the sign-in of a program with a code', () => {
  it('starts a session of the person who entered the code', async () => {
    const site = await openSite();

    const code = await site.client().beginDeviceSignIn();
    expect(code).toMatchObject({ url: `${provider.issuer}/device`, interval: 5_000 });
    expect(new URL(code.completeUrl ?? '').searchParams.get('user_code')).toBe(code.userCode);
    expect(await site.client().finishDeviceSignIn(code.deviceCode)).toEqual({ state: 'pending' });
    await provider.enterCode(new Browser(fetch), code, 'grace');
    const found = await site.client().finishDeviceSignIn(code.deviceCode);

    expect(found).toMatchObject({
      state: 'signed-in',
      token: expect.stringMatching(/^hps_[\w-]{43}$/),
      expiresAt: new Date(site.clock.now() + 12 * 60 * 60_000).toISOString(),
      person: { id: `${provider.issuer}#grace`, name: 'Grace' },
    });
    const token = found.state === 'signed-in' ? found.token : '';
    expect(await site.client(token).me()).toEqual({
      agents: ['teller'],
      denyReasons: [],
      person: { id: `${provider.issuer}#grace`, name: 'Grace' },
      roles: ['treasurer'],
      tenant: 'default',
    });
    // The token is a secret of the desk, and no application receives it.
    expect(site.passed).not.toContain(`Bearer ${token}`);
    expect(site.errors).toEqual([]);
  });

  it('needs no header against other sites, and decides as the person', async () => {
    const site = await openSite();
    const { token } = await site.enter('grace');
    const runId = await site.desk.start('teller', 'pay acme', { requester: { id: 'ada' } });
    await site.desk.work({ runId });
    const [hold] = (await site.client(token).holds({ runId })).items;

    await site
      .client(token)
      .decide(hold!.id, { digest: hold!.digest, decision: { kind: 'approve' } });

    const { decisions } = await site.desk.hold(hold!.id);
    expect(decisions).toMatchObject([{ by: { id: `${provider.issuer}#grace` } }]);
  });

  it('stores nothing before a person has signed in', async () => {
    const { store, client } = await openSite();
    let writes = 0;
    const write = store.write.bind(store);
    Object.assign(store, { write: (work: never) => ((writes += 1), write(work)) });

    const code = await client().beginDeviceSignIn();
    await client().finishDeviceSignIn(code.deviceCode);

    expect(writes).toBe(0);
  });

  it('is denied if the person aborts', async () => {
    const site = await openSite();

    expect((await site.enter('abort')).found).toEqual({ state: 'denied' });
  });

  it('ends with an expired code', async () => {
    await using other = await openProvider({ redirectUri, deviceCodeTtl: 1 });
    const { client } = await openSite({ issuer: other.issuer });
    const code = await client().beginDeviceSignIn();
    expect(code.expiresAfter).toBe(1_000);

    await new Promise((resolve) => setTimeout(resolve, 2_100));

    expect(await client().finishDeviceSignIn(code.deviceCode)).toEqual({ state: 'expired' });
  });

  it('reports that the program must slow down', async () => {
    const { client } = await openSite();
    const code = await client().beginDeviceSignIn();
    alterTokens = () => ({ status: 400, body: { error: 'slow_down' } });

    expect(await client().finishDeviceSignIn(code.deviceCode)).toEqual({ state: 'slow-down' });

    alterTokens = undefined;
    expect(await client().finishDeviceSignIn(code.deviceCode)).toEqual({ state: 'pending' });
  });

  it('is possible for a public client of the provider', async () => {
    await using other = await openProvider({
      redirectUri,
      accounts: ACCOUNTS,
      deviceCodeTtl: 60,
      auth: 'none',
    });
    const { client } = await openSite({ issuer: other.issuer, clientSecret: undefined });
    const code = await client().beginDeviceSignIn();
    await other.enterCode(new Browser(fetch), code, 'grace');

    expect(await client().finishDeviceSignIn(code.deviceCode)).toMatchObject({
      state: 'signed-in',
    });
  });

  it('is off by default, and reports a provider without it', async () => {
    const off = await openSite({ deviceFlow: undefined });
    for (const begin of [off.client().beginDeviceSignIn(), off.client().finishDeviceSignIn('x')]) {
      await expect(begin).rejects.toMatchObject({ status: 404, code: 'no-device-flow' });
    }

    await using without = await openProvider({ redirectUri });
    const { client, errors } = await openSite({ issuer: without.issuer });
    await expect(client().beginDeviceSignIn()).rejects.toMatchObject({ code: 'sign-in-failed' });
    expect(String(errors[0])).toContain('does not support the device flow');
    await expect(openSite({ deviceFlow: 'yes' as never })).rejects.toThrow(/deviceFlow/);
  });
});

describe('the session of a program', () => {
  it('ends when it is idle, and after its longest duration', async () => {
    const site = await openSite({}, { idleAfter: 60_000, endsAfter: 100_000 });
    const { token: idle } = await site.enter('grace');
    site.clock.advance(60_001);
    await expect(site.client(idle).me()).rejects.toMatchObject({ code: 'unauthenticated' });

    const { token } = await site.enter('grace');
    site.clock.advance(60_000);
    await site.client(token).me();
    site.clock.advance(40_000);
    await expect(site.client(token).me()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('ends with the access of the person', async () => {
    const site = await openSite();
    const [first, second] = [await site.enter('grace'), await site.enter('grace')];

    expect(await site.signInProvider.endSessionsOf(`${provider.issuer}#grace`)).toBe(2);

    for (const { token } of [first, second]) {
      await expect(site.client(token).me()).rejects.toMatchObject({ status: 401 });
    }
  });

  it('ends with a sign-out, and the session of the browser does not', async () => {
    const site = await openSite();
    const { token } = await site.enter('grace');
    const browser = site.newBrowser();
    await provider.signIn(browser, await browser.open(`${URL_OF_DESK}/sign-in`), 'grace');

    await site.client(token).endSession();

    await expect(site.client(token).me()).rejects.toMatchObject({ status: 401 });
    expect((await browser.own(`${URL_OF_DESK}/v1/me`)).status).toBe(200);
  });
});

describe('attack: the sign-in of a program', () => {
  const claims = () => ({
    iss: provider.issuer,
    sub: 'mallory',
    aud: 'desk',
    iat: Math.floor(Date.now() / 1_000),
    exp: Math.floor(Date.now() / 1_000) + 60,
  });
  const tokenWith = (change: object): AlterTokens => {
    return (_response, sign) => ({
      status: 200,
      body: {
        access_token: 'x',
        token_type: 'Bearer',
        id_token: sign({ ...claims(), ...change }),
      },
    });
  };

  it.each<[string, object | undefined]>([
    ['an ID token of another audience', { aud: 'another-program' }],
    ['an ID token for several audiences without this desk', { aud: ['a', 'b'], azp: 'a' }],
    ['an ID token that another client requested', { aud: ['desk', 'a'], azp: 'a' }],
    ['an ID token of another issuer', { iss: 'https://evil.example' }],
    ['an expired ID token', { exp: Math.floor(Date.now() / 1_000) - 600 }],
    ['no ID token', undefined],
  ])('is rejected with %s', async (_, change) => {
    const { client, errors, store } = await openSite();
    const code = await client().beginDeviceSignIn();
    const body = { access_token: 'x', token_type: 'Bearer' };
    alterTokens = change === undefined ? () => ({ status: 200, body }) : tokenWith(change);

    try {
      await expect(client().finishDeviceSignIn(code.deviceCode)).rejects.toMatchObject({
        status: 503,
        code: 'sign-in-failed',
      });
    } finally {
      alterTokens = undefined;
    }
    expect(errors).toHaveLength(1);
    expect(await store.read((tx) => tx.tokens.ofKind('default', 'session'))).toEqual([]);
  });

  it('does not use the claims about another person', async () => {
    const { client } = await openSite();
    const code = await client().beginDeviceSignIn();
    await provider.enterCode(new Browser(fetch), code, 'grace');
    // The access token is that of Grace, and the ID token that of Mallory.
    alterTokens = ({ status, body }, sign) => ({
      status,
      body: { ...body, id_token: sign(claims()) },
    });

    try {
      await expect(client().finishDeviceSignIn(code.deviceCode)).rejects.toMatchObject({
        code: 'sign-in-failed',
      });
    } finally {
      alterTokens = undefined;
    }
  });

  it('accepts no code of another client, no used code, and no guess', async () => {
    const { client, enter } = await openSite();
    const foreign = await provider.deviceCodeOf('another-program');
    await provider.enterCode(new Browser(fetch), foreign, 'grace');
    const { code: used } = await enter('grace');

    for (const deviceCode of [foreign.deviceCode, used.deviceCode, used.userCode, 'guess']) {
      expect(await client().finishDeviceSignIn(deviceCode)).toEqual({ state: 'expired' });
    }
  });

  it('accepts no token of the provider as a credential', async () => {
    const site = await openSite();
    const code = await site.client().beginDeviceSignIn();
    await provider.enterCode(new Browser(fetch), code, 'grace');
    const tokens: unknown[] = [];
    alterTokens = (response) => {
      tokens.push(response.body['id_token'], response.body['access_token']);
      return response;
    };
    await site.client().finishDeviceSignIn(code.deviceCode);
    alterTokens = undefined;

    expect(tokens).toHaveLength(2);
    for (const token of tokens) {
      for (const bearer of [token, `hps_${token}`]) {
        await expect(site.client(String(bearer)).me()).rejects.toMatchObject({ status: 401 });
      }
    }
  });

  it('gives no session to a person without access', async () => {
    const site = await openSite({
      personOf: ({ sub }) => (sub === 'grace' ? { id: sub } : undefined),
    });

    await expect(site.enter('stranger')).rejects.toMatchObject({ status: 403, code: 'forbidden' });

    expect(site.lines).toMatchObject([{ event: 'sign-in-rejected' }]);
    expect(await site.store.read((tx) => tx.tokens.ofKind('default', 'session'))).toEqual([]);
    expect((await site.enter('grace')).found).toMatchObject({ person: { id: 'grace' } });
  });

  it('does not turn a cookie into a bearer token, or the other way round', async () => {
    const site = await openSite();
    const { token } = await site.enter('grace');
    const browser = site.newBrowser();
    await provider.signIn(browser, await browser.open(`${URL_OF_DESK}/sign-in`), 'grace');
    const cookie = browser.cookie(URL_OF_DESK, COOKIE) ?? '';
    expect(cookie).toMatch(/^[\w-]{43}$/);

    await expect(site.client(`hps_${cookie}`).me()).rejects.toMatchObject({ status: 401 });
    await expect(site.client(cookie).me()).rejects.toMatchObject({ status: 401 });
    for (const value of [token, token.slice('hps_'.length)]) {
      const planted = site.newBrowser();
      planted.cookies.set('desk.example', new Map([[COOKIE, value]]));
      expect((await planted.own(`${URL_OF_DESK}/v1/me`)).status).toBe(401);
    }
  });

  it('is no way around the session of a browser with a wrong token', async () => {
    const site = await openSite();
    const browser = site.newBrowser();
    await provider.signIn(browser, await browser.open(`${URL_OF_DESK}/sign-in`), 'grace');

    // With the cookie, such a request would need no header against other sites.
    const { status } = await browser.ask(`${URL_OF_DESK}/v1/runs`, {
      method: 'POST',
      headers: { authorization: 'Bearer hps_guess', 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'teller', prompt: 'Hi' }),
    });

    expect(status).toBe(401);
    expect((await site.desk.runs()).items).toEqual([]);
  });

  it('is limited for each address', async () => {
    const { client } = await openSite();
    const send = () =>
      client()
        .finishDeviceSignIn('')
        .catch((error: unknown) => Object(error).status as number);
    const statuses = new Set<unknown>();
    for (let count = 0; count < 601; count += 1) statuses.add(await send());

    expect([...statuses]).toEqual([400, 429]);
  });
});
