import { UserError } from 'holdpoint';
import type * as OpenIdClient from 'openid-client';
import { isLoopback } from '../desk/check-url.ts';
import type { DeviceCode, DeviceSignInState } from '../http/entrance.ts';
import type { Claims, OpenIdOptions } from './open-id-options.ts';

/** The state of a sign-in, which the browser keeps until it ends. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The grant of RFC 8628. */
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Errors of RFC 8628 that are states of a sign-in. */
const DEVICE_STATES: ReadonlyMap<
  unknown,
  Exclude<DeviceSignInState['state'], 'signed-in'>
> = new Map([
  ['authorization_pending', 'pending'],
  ['slow_down', 'slow-down'],
  ['access_denied', 'denied'],
  ['expired_token', 'expired'],
  // The code is unknown, was used, or belongs to another client. The program must begin again.
  ['invalid_grant', 'expired'],
]);

/** The interval between two requests for the state, in seconds, if the provider states none. */
const DEFAULT_INTERVAL = 5;

/** The client library and its configuration for the provider. */
interface Provider {
  readonly client: typeof OpenIdClient;
  readonly config: OpenIdClient.Configuration;
}

type Tokens = OpenIdClient.TokenEndpointResponse & OpenIdClient.TokenEndpointResponseHelpers;

/**
 * Signs people in by the code flow of OpenID Connect, with PKCE, state and nonce, or by the device flow. The desk accepts
 * tokens only from the token endpoint of the provider.
 */
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

  /** Returns the claims of the provider. Throws if the desk did not start the sign-in. */
  async finish(search: string, begun: BegunSignIn): Promise<Claims> {
    const provider = await this.#connect();
    const tokens = await provider.client.authorizationCodeGrant(
      provider.config,
      new URL(`${this.#callback}${search}`),
      {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true,
      },
    );
    return claimsOf(provider, tokens);
  }

  /** Requests a code with which a person signs in a program. Throws if the provider does not support it. */
  async beginDevice(): Promise<DeviceCode> {
    const { client, config } = await this.#connect();
    const { device_authorization_endpoint: endpoint } = config.serverMetadata();
    if (endpoint === undefined) {
      throw new UserError(
        `The provider \`${this.#options.issuer}\` does not support the device flow. Remove \`openId.deviceFlow\`.`,
      );
    }
    const scope = this.#options.scope ?? 'openid profile';
    const given = await client.initiateDeviceAuthorization(config, { scope });
    const { verification_uri: url, verification_uri_complete: completeUrl } = given;
    return {
      deviceCode: given.device_code,
      userCode: given.user_code,
      url: webAddress(url),
      ...(completeUrl !== undefined && { completeUrl: webAddress(completeUrl) }),
      expiresAfter: given.expires_in * 1_000,
      interval: (given.interval ?? DEFAULT_INTERVAL) * 1_000,
    };
  }

  /** Returns the claims of the person who entered a code, or the state of the sign-in. */
  async finishDevice(
    deviceCode: string,
  ): Promise<Claims | Exclude<DeviceSignInState['state'], 'signed-in'>> {
    const provider = await this.#connect();
    const { client, config } = provider;
    let tokens: Tokens;
    try {
      tokens = await client.genericGrantRequest(config, DEVICE_GRANT, { device_code: deviceCode });
    } catch (error) {
      const state = error instanceof client.ResponseBodyError && DEVICE_STATES.get(error.error);
      if (state) return state;
      throw error;
    }
    return claimsOf(provider, tokens);
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

/** Returns the claims of tokens that the provider sent. The library has validated issuer, audience and expiry. */
async function claimsOf({ client, config }: Provider, tokens: Tokens): Promise<Claims> {
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('The provider returned no ID token.');
  if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
  // Many providers return some claims only here. The library checks that the subject is the same.
  const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}

/** Returns an address that a person may open. */
function webAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))) return url.href;
  throw new Error('The provider returned an address for people that is not an https address.');
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
