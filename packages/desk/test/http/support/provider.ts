import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Browser, Page } from './browser.ts';

/** An OpenID provider on this machine. It signs a visitor in to any account by its name. */
export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Signs in at the page of the provider, and agrees. Returns the last address of the browser. */
  signIn(browser: Browser, login: Page, account: string): Promise<Page>;
  /** Enters the code of a device in a browser, and signs in to an account or aborts. */
  enterCode(browser: Browser, code: UserCode, account: string | 'abort'): Promise<Page>;
  /** Starts the device flow of a client that needs no secret. Returns its device code. */
  deviceCodeOf(clientId: string): Promise<UserCode & { readonly deviceCode: string }>;
}

/** A code, and the page at which a person enters it. */
interface UserCode {
  readonly url: string;
  readonly userCode: string;
}

/** A response of the token endpoint, which a test may replace. */
export type AlterTokens = (
  response: { readonly status: number; readonly body: Record<string, unknown> },
  signClaims: (claims: object) => string,
) => { readonly status: number; readonly body: Record<string, unknown> };

/** The claims of the accounts. */
export type Accounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export async function openProvider(options: {
  readonly redirectUri: string;
  readonly accounts?: Accounts;
  readonly auth?: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Enables the device flow, with this time until codes expire, in seconds. */
  readonly deviceCodeTtl?: number;
  readonly alterTokens?: AlterTokens;
}): Promise<OpenIdProvider> {
  const { redirectUri, accounts = {}, auth = 'client_secret_basic', deviceCodeTtl } = options;
  const server = createServer((request, response) => {
    if (options.alterTokens !== undefined && request.url === '/token') {
      alterBody(response, options.alterTokens, (claims) => signed(claims, privateKey));
    }
    return provider.callback()(request, response);
  });
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
        ...(deviceCodeTtl !== undefined && { grant_types: ['authorization_code', DEVICE_GRANT] }),
      },
      {
        client_id: 'another-program',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        ...(deviceCodeTtl !== undefined && { grant_types: ['authorization_code', DEVICE_GRANT] }),
      },
    ],
    features: { deviceFlow: { enabled: deviceCodeTtl !== undefined } },
    jwks: {
      keys: [privateKey, rsa].map((key) => ({ ...key.export({ format: 'jwk' }), use: 'sig' })),
    },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], profile: ['name', 'roles', 'groups', 'employee'] },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      DeviceCode: deviceCodeTtl ?? 60,
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
    signIn: signInAt,
    async enterCode(browser, { url, userCode }, account) {
      const input = await browser.open(url);
      const confirm = await browser.submit(actionOf(input), {
        ...hiddenIn(input),
        user_code: userCode,
      });
      if (account === 'abort') {
        const { xsrf = '' } = hiddenIn(confirm);
        return browser.submit(actionOf(confirm), { xsrf, user_code: userCode, abort: 'yes' });
      }
      const login = await browser.submit(actionOf(confirm), hiddenIn(confirm));
      return signInAt(browser, login, account);
    },
    async deviceCodeOf(clientId) {
      const body = new URLSearchParams({ client_id: clientId, scope: 'openid profile' });
      const response = await fetch(`${issuer}/device/auth`, { method: 'POST', body });
      const { device_code: deviceCode, user_code: userCode } = await response.json();
      return { deviceCode, userCode, url: `${issuer}/device` };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Replaces the body of a response before it is sent. */
function alterBody(
  response: ServerResponse,
  alter: AlterTokens,
  signClaims: (claims: object) => string,
): void {
  const end = response.end.bind(response);
  const altered = (text: unknown) => {
    const given = { status: response.statusCode, body: JSON.parse(String(text)) };
    const { status, body } = alter(given, signClaims);
    const bytes = Buffer.from(JSON.stringify(body));
    response.statusCode = status;
    response.setHeader('content-length', bytes.length);
    return end(bytes);
  };
  // The provider calls it with the whole body.
  response.end = altered as typeof response.end;
}

/** Signs claims as the provider does. */
function signed(claims: object, key: KeyObject): string {
  const parts = [{ alg: 'EdDSA', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = sign(null, Buffer.from(parts.join('.')), key).toString('base64url');
  return [...parts, signature].join('.');
}

function hiddenIn({ text }: Page): Record<string, string> {
  const fields = text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]));
}

async function signInAt(browser: Browser, login: Page, account: string): Promise<Page> {
  const form = { prompt: 'login', login: account, password: 'x' };
  const consent = await browser.submit(actionOf(login), form);
  return browser.submit(actionOf(consent), { prompt: 'consent' });
}

function actionOf({ text, url }: Page): string {
  const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? [];
  if (action === undefined) throw new Error(`There is no form at ${url}: ${text}`);
  return new URL(action, url).href;
}
