import { UserError } from 'holdpoint';
import type * as OpenIdClient from 'openid-client';
import { isLoopback } from '../desk/check-url.ts';
import type { Claims, OpenIdOptions } from './open-id-options.ts';

/** The state of a sign-in, which the browser keeps until it ends. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The client library and its configuration for the provider. */
interface Provider {
  readonly client: typeof OpenIdClient;
  readonly config: OpenIdClient.Configuration;
}

/** Signs people in by the code flow of OpenID Connect, with PKCE, state and nonce. */
export class OpenId {
  readonly #options: OpenIdOptions;
  readonly #callback: string;
  #provider: Promise<Provider> | undefined;

  /** @param callback - The address to which the provider redirects. It is fixed, and not taken from a request. */
  constructor(options: OpenIdOptions, callback: string) {
    requireIssuer(options.issuer);
    this.#options = options;
    this.#callback = callback;
  }

  /** Returns the address at the provider for the visitor, and the state that the browser keeps. */
  async begin(): Promise<{ readonly address: string; readonly begun: BegunSignIn }> {
    const { client, config } = await this.#connect();
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

  /** Returns the claims of the provider. Throws if the sign-in was not started here. */
  async finish(search: string, begun: BegunSignIn): Promise<Claims> {
    const { client, config } = await this.#connect();
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
    if (claims === undefined) throw new Error('The provider returned no ID token.');
    if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Many providers return some claims only here. The library checks that the subject is the same.
    const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
    return { ...more, ...claims };
  }

  /** Discovers the provider once, and again after a failure. */
  async #connect(): Promise<Provider> {
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

/** Requires TLS, because an attacker on the network could otherwise sign in as any person. */
function requireIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))) return;
  throw new UserError(
    `The \`issuer\` \`${issuer}\` is not an https address. Pass the https address of the provider.`,
  );
}

async function loadClient(): Promise<typeof OpenIdClient> {
  try {
    return await import('openid-client');
  } catch (cause) {
    throw new UserError('`openId` requires the package `openid-client`. Install it.', { cause });
  }
}
