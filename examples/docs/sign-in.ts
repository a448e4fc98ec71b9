// The code of docs/sign-in.md. This program does not contact the provider; the tests of the desk sign in with a
// real one.
import assert from 'node:assert/strict';
import { type Authorize, sqliteStore, openDesk } from '@holdpoint/desk';
import { signIn } from '@holdpoint/desk/sign-in';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';

const store = await sqliteStore();
const agent = new Agent({
  model: functionModel(() => says('Hello.')),
  output: [String, DeferredToolRequests],
});
const agents = { support: { agent } };
process.env['OIDC_CLIENT_SECRET'] ??= 'of the desk';

// #region open-id
const url = 'https://desk.example.com';
const signInProvider = signIn({
  store,
  url,
  openId: {
    issuer: 'https://login.example.com',
    clientId: 'holdpoint-desk',
    clientSecret: process.env['OIDC_CLIENT_SECRET'],
    rolesClaim: 'groups',
  },
});
const desk = openDesk({ store, agents, url, signIn: signInProvider });
// #endregion

{
  // #region one-person
  const openId = {
    issuer: 'https://login.example.com',
    clientId: 'holdpoint-desk',
    personOf: ({ employee_number: number, name }: Readonly<Record<string, unknown>>) =>
      typeof number === 'string' ? { id: number, name: String(name) } : undefined,
  };
  // #endregion
  assert.ok(signIn({ store, url, openId }));
}

{
  // #region device-flow
  const withCodes = signIn({
    store,
    url,
    openId: {
      issuer: 'https://login.example.com',
      clientId: 'holdpoint-desk',
      clientSecret: process.env['OIDC_CLIENT_SECRET'],
      deviceFlow: true,
    },
  });
  // #endregion
  assert.ok(withCodes.device);
}

// #region sign-in-link
const { url: linkUrl, expiresAt } = await signInProvider.signInLink({
  tenant: 'default',
  person: { id: 'grace', name: 'Grace' },
  roles: ['treasurer'],
  expiresAfter: 10 * 60_000,
});
// #endregion

assert.ok(expiresAt > Date.now());
const form = { token: new URL(linkUrl).searchParams.get('token') ?? '' };
const entered = await desk.fetch(
  new Request(`${url}/enter`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { origin: url },
  }),
);
assert.equal(entered.status, 303);
const [cookie = ''] = entered.headers.getSetCookie();
assert.match(cookie, /^__Host-holdpoint=.*HttpOnly; Secure; SameSite=Lax$/);

const me = async () => {
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  return (await desk.fetch(new Request(`${url}/v1/me`, { headers }))).json();
};
assert.deepEqual(await me(), {
  tenant: 'default',
  person: { id: 'grace', name: 'Grace' },
  roles: ['treasurer'],
  agents: ['support'],
  denyReasons: [],
  signOut: '/sign-out',
});

// #region end-sessions
await signInProvider.endSessionsOf('grace');
// #endregion
assert.equal((await me()).signIn, '/sign-in');

{
  const tokens = new Map([['Bearer of-the-robot', { id: 'robot' }]]);
  // #region both
  const authorize: Authorize = ({ headers }) => {
    const person = tokens.get(headers.get('authorization') ?? '');
    return person && { tenant: 'default', person };
  };
  const both = openDesk({ store, agents, url, authorize, signIn: signInProvider });
  // #endregion
  const headers = { authorization: 'Bearer of-the-robot' };
  assert.equal((await both.fetch(new Request(`${url}/v1/me`, { headers }))).status, 200);
}
