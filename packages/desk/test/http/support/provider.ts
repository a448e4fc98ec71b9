import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Browser, Page } from './browser.ts';

/** An OpenID provider on this machine. It signs a visitor in to any account by its name. */
export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Signs in at the page that the provider shows, and agrees; gives where the browser ends up. */
  signIn(browser: Browser, login: Page, account: string): Promise<Page>;
}

/** The claims of the accounts. */
export type Accounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export async function openProvider(options: {
  readonly redirectUri: string;
  readonly accounts?: Accounts;
  readonly auth?: 'client_secret_basic' | 'client_secret_post' | 'none';
}): Promise<OpenIdProvider> {
  const { redirectUri, accounts = {}, auth = 'client_secret_basic' } = options;
  const server = createServer((request, response) => provider.callback()(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens at a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('ed25519');
  const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'desk',
        ...(auth !== 'none' && { client_secret: 'a secret+of/the desk' }),
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: auth,
      },
    ],
    jwks: {
      keys: [privateKey, rsa].map((key) => ({ ...key.export({ format: 'jwk' }), use: 'sig' })),
    },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], profile: ['name', 'roles', 'groups', 'employee'] },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 60,
      IdToken: 60,
      Interaction: 60,
      Session: 60,
    },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...accounts[id] }),
    }),
  });
  return {
    issuer,
    async signIn(browser, login, account) {
      const consent = await browser.submit(actionOf(login), {
        prompt: 'login',
        login: account,
        password: 'x',
      });
      return browser.submit(actionOf(consent), { prompt: 'consent' });
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function actionOf({ text, url }: Page): string {
  const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? [];
  if (action === undefined) throw new Error(`There is no form at ${url}: ${text}`);
  return new URL(action, url).href;
}
