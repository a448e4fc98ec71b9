import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../../desk/test/http/support/browser.ts';
import { openProvider } from '../../../desk/test/http/support/provider.ts';
import { CashierFolder } from '../support/cashier-folder.ts';
import { holdpoint, ServedDesk } from '../support/holdpoint.ts';

const FILE = 'packages/cli/test/platform/programs/cashier-desk.ts';

const newBrowser = () => new Browser((request) => fetch(request));

describe('a desk that is served for browsers', () => {
  it('prints a link that signs in the user of the machine once', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const { HOLDPOINT_URL: url } = served.environment;
    const [link = ''] = /http\S+\/enter\?token=[\w-]{43}/.exec(served.printed) ?? [];
    const browser = newBrowser();

    expect((await browser.open(link)).text).toMatch(/Sign in/);
    const token = new URL(link).searchParams.get('token') ?? '';
    const inside = await browser.submit(`${url}/enter`, { token });

    expect(inside.url).toBe(`${url}/inbox`);
    const { json } = await browser.own(`${url}/v1/me`);
    const { person } = await (
      await fetch(`${url}/v1/me`, {
        headers: { authorization: `Bearer ${served.environment.HOLDPOINT_TOKEN}` },
      })
    ).json();
    expect(json.person).toEqual(person);
    expect(json.signOut).toBe('/sign-out');
    expect((await newBrowser().submit(`${url}/enter`, { token })).status).toBe(410);
    const { status } = await browser.own(`${url}/v1/runs`, { agent: 'cashier', prompt: 'Hi' });
    expect(status).toBe(201);
  });

  it('signs people in with a provider', async () => {
    await using folder = new CashierFolder();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await using provider = await openProvider({
      redirectUri: `${url}/sign-in/callback`,
      accounts: { grace: { name: 'Grace', groups: ['treasurer'] } },
    });
    await using served = await ServedDesk.start(
      FILE,
      { ...folder.environment, HOLDPOINT_OIDC_CLIENT_SECRET: 'a secret+of/the desk' },
      `--port=${port} --oidc-issuer=${provider.issuer} --oidc-client-id=desk --oidc-roles-claim=groups`.split(
        ' ',
      ),
    );
    // Cookies ignore ports, so the provider has another host name.
    const at = (path: string) => `${url}${path}`;
    const desk = newBrowser();

    expect(served.printed).not.toMatch(/HOLDPOINT_TOKEN|enter\?token/);
    const login = await desk.open(at('/sign-in'));
    const end = await provider.signIn(desk, login, 'grace');

    expect(end.url).toBe(at('/inbox'));
    expect((await desk.own(at('/v1/me'))).json).toMatchObject({
      person: { id: `${provider.issuer}#grace`, name: 'Grace' },
      roles: ['treasurer'],
    });
    expect((await desk.own(at('/sign-out'), {})).status).toBe(200);
    expect((await desk.own(at('/v1/me'))).status).toBe(401);
  });

  it('rejects incomplete options', async () => {
    await using folder = new CashierFolder();
    const provider = ['--oidc-issuer', 'https://login.example', '--oidc-client-id', 'desk'];
    const desk = (...args: readonly string[]) =>
      holdpoint(['desk', FILE, '--port', '0', ...args], folder.environment);

    const half = await desk('--oidc-issuer', 'https://login.example');
    expect([half.exitCode, half.stderr]).toEqual([
      2,
      expect.stringMatching(/Pass `--oidc-issuer` and/),
    ]);
    const open = await desk(...provider, '--host', '0.0.0.0');
    expect([open.exitCode, open.stderr]).toEqual([1, expect.stringMatching(/Pass `--url`/)]);
    const plain = await desk(...provider, '--url', 'http://desk.example');
    expect([plain.exitCode, plain.stderr]).toEqual([1, expect.stringMatching(/https address/)]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
