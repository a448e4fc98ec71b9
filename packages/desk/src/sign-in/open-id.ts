import { UserError } from 'holdpoint';
import type * as OpenIdClient from 'openid-client';
import { isLoopback } from '../desk/check-url.ts';
import type { Claims, OpenIdOptions } from './open-id-options.ts';

/** What a browser keeps from the beginning of a sign-in to its end. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Where the provider is asked, and how. */
interface Provider {
  readonly client: typeof OpenIdClient;
  readonly config: OpenIdClient.Configuration;
}

/** Signs people in by the code flow of OpenID Connect, with PKCE, state and nonce. */
export class OpenId {
  readonly #options: OpenIdOptions;
  readonly #callback: string;
  #provider: Promise<Provider> | undefined;

  /** @param callback - Where the provider sends people back to. It is fixed, whatever a request says. */
  constructor(options: OpenIdOptions, callback: string) {
    requireIssuer(options.issuer);
    this.#options = options;
    this.#callback = callback;
  }

  /** The address at the provider to which somebody is sent, and what their browser has to keep. */
  async begin(): Promise<{ readonly address: string; readonly begun: BegunSignIn }> {
    const { client, config } = await this.#ask();
    const verifier = client.randomPKCECodeVerifier();
    const begun = { state: client.randomState(), nonce: client.randomNonce(), verifier };
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: this.#callback,
      scope: this.#options.scope ?? 'openid profile',
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, begun };
  }

  /** What the provider says about whoever comes back from it. Throws if they did not begin here. */
  async finish(search: string, begun: BegunSignIn): Promise<Claims> {
    const { client, config } = await this.#ask();
    const tokens = await client.authorizationCodeGrant(
      config,
      new URL(`${this.#callback}${search}`),
      {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true,
      },
    );
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('The provider has given no ID token.');
    if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Many providers say there what is not in the token. It must be about the same person, which is checked.
    const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
    return { ...more, ...claims };
  }

  /** The provider is asked once where everything is; again if it did not answer. */
  async #ask(): Promise<Provider> {
    this.#provider ??= this.#discover();
    try {
      return await this.#provider;
    } catch (error) {
      this.#provider = undefined;
      throw error;
    }
  }

  async #discover(): Promise<Provider> {
    const client = await loadClient();
    const { issuer, clientId, clientSecret, clientAuth = 'basic' } = this.#options;
    const server = new URL(issuer);
    const auth = {
      basic: client.ClientSecretBasic,
      post: client.ClientSecretPost,
    }[clientAuth];
    const config = await client.discovery(
      server,
      clientId,
      undefined,
      clientSecret === undefined ? client.None() : auth(clientSecret),
      server.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {},
    );
    return { client, config };
  }
}

/** Without TLS anybody on the way could say who somebody is. */
function requireIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))) return;
  throw new UserError(`The issuer '${issuer}' is no address that begins with https:.`);
}

/** It is installed by those who use it. */
async function loadClient(): Promise<typeof OpenIdClient> {
  try {
    return await import('openid-client');
  } catch (cause) {
    throw new UserError('To sign people in with OpenID Connect, install openid-client.', { cause });
  }
}
