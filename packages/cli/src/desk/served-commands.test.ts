import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { openDesk, type ServedDesk, sqliteStore } from '@holdpoint/desk';
import { signIn } from '@holdpoint/desk/sign-in';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Browser } from '../../../desk/test/http/support/browser.ts';
import { robot } from '../../../desk/test/http/support/outside-desk.ts';
import { type OpenIdProvider, openProvider } from '../../../desk/test/http/support/provider.ts';
import { main } from '../main.ts';

let folder: string;
let server: Server;
let provider: OpenIdProvider;
let desk: ServedDesk;
let url: string;
let printed: string;

beforeAll(async () => {
  // The provider warns about settings that are only for tests.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(console, 'info').mockImplementation(() => {});
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-served-'));
  server = createServer((request, response) => listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens at a port has an address of this form.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUri = `${url}/sign-in/callback`;
  provider = await openProvider({ redirectUri, deviceCodeTtl: 60 });
  const store = await sqliteStore();
  const openId = {
    issuer: provider.issuer,
    clientId: 'desk',
    clientSecret: 'a secret+of/the desk',
    deviceFlow: true,
    personOf: ({ sub }: { readonly sub: string }) => ({ id: sub }),
  };
  desk = openDesk({
    store,
    url,
    agents: { robot: { agent: robot } },
    signIn: signIn({ store, url, openId }),
  });
  const listener = getRequestListener(desk.fetch);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await provider[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
  await desk.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  printed = '';
  const write = (text: unknown) => {
    printed += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  for (const method of ['log', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((text) => void write(`${String(text)}\n`));
  }
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  vi.stubEnv('HOLDPOINT_URL', '');
  vi.stubEnv('HOLDPOINT_TOKEN', '');
  vi.stubEnv('HOLDPOINT_KEY', '');
});

afterEach(() => {
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

/** Runs a command, and returns its output. */
async function holdpoint(...args: readonly string[]): Promise<string> {
  printed = '';
  await main([...args]);
  return printed;
}

/** Signs in as an account, which enters the code that the command shows. */
async function login(account: string | 'abort', ...args: readonly string[]): Promise<string> {
  const ended = holdpoint('login', '--device', '--url', url, ...args);
  while (!/the code \S+\./.test(printed)) await sleep(20);
  const [, userCode = ''] = /the code (\S+)\./.exec(printed) ?? [];
  await provider.enterCode(
    new Browser(fetch),
    { url: `${provider.issuer}/device`, userCode },
    account,
  );
  return ended;
}

describe('the commands for a served desk', { timeout: 60_000 }, () => {
  it('sign in with a code, use the session, create a callback address, and sign out', async () => {
    const shown = await login('grace');

    expect(shown).toContain('Do not enter a code that another person sent you.');
    expect(shown).toContain(`Logged in to ${url} as grace.`);
    const path = join(folder, 'holdpoint/credentials.json');
    const { token } = JSON.parse(readFileSync(path, 'utf8'));
    expect(token).toMatch(/^hps_[\w-]{43}$/);
    expect(shown).not.toContain(token);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await holdpoint('whoami')).toContain('grace');

    const runId = await desk.start('robot', 'Print it.');
    await desk.work({ runId });
    const { items } = await desk.holds({ runId });
    const created = await holdpoint('callback', items[0]!.id.slice(0, 12), '--expires', '2h');
    const [address = ''] = /http\S+\/v1\/callbacks\/\S+/.exec(created) ?? [];
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"value":1}',
    };
    expect((await fetch(address, init)).status).toBe(200);
    expect((await desk.hold(items[0]!.id)).decisions).toMatchObject([{ by: { id: 'grace' } }]);

    expect(await holdpoint('logout')).toContain('The stored token was deleted.');
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/v1/me`, { headers })).status).toBe(401);
  });

  it('store nothing if the person denies the sign-in', async () => {
    const shown = await login('abort');

    expect(shown).toContain('The sign-in was denied at the provider.');
    expect(await holdpoint('logout')).toContain('You are not logged in.');
  });

  it('show a comment with markup and control characters as text, in one line', async () => {
    const runId = await desk.start('robot', 'Print it.');
    await desk.work({ runId });
    const { items } = await desk.holds({ runId });
    const by = { id: 'eve', name: '\u001b[2JEve' };
    const hostile = '<b>Fine</b>\u001b[31m\u202e\ndecision  approve, by grace';
    await desk.comment(items[0]!.id, hostile, { by });
    const scopes = ['read'] as const;
    const { key } = await desk.keys.create({ account: 'auditor', scopes, by: { id: 'root' } });
    vi.stubEnv('HOLDPOINT_KEY', key);

    const shown = await holdpoint('holds', 'show', items[0]!.id, '--url', url);

    expect(shown).toContain('<b>Fine</b>');
    // oxlint-disable-next-line no-control-regex -- the test looks for control characters
    expect(shown).not.toMatch(/\u001b\[2J|\u001b\[31m\S*\u202e|\u202e/);
    // A comment cannot look like a decision, because each decision has its own line.
    expect(shown).not.toMatch(/^\s*decision {2}/m);
  });
});
