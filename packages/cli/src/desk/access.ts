import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Authorize, Caller } from '@holdpoint/desk';
import type { OpenIdOptions } from '@holdpoint/desk/sign-in';
import { UsageError } from '../errors.ts';

/** Options of `holdpoint desk` for people who sign in. */
export interface SignInOptions {
  /** The address that people use, if it is not the one that the server listens at. */
  readonly url?: string | undefined;
  readonly oidcIssuer?: string | undefined;
  readonly oidcClientId?: string | undefined;
  readonly oidcRolesClaim?: string | undefined;
  readonly oidcPersonClaim?: string | undefined;
  readonly oidcClientAuth?: 'basic' | 'post' | undefined;
  /** Lets people sign in with `holdpoint login --device`. */
  readonly oidcDevice?: boolean | undefined;
}

/** Returns the OpenID options. The secret comes from the environment, because other users can see arguments. */
export function openIdOptions(
  options: SignInOptions,
  environment: NodeJS.ProcessEnv,
): OpenIdOptions | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcPersonClaim: personClaim } = options;
  const { oidcRolesClaim: rolesClaim, oidcClientAuth: clientAuth } = options;
  const deviceFlow = options.oidcDevice || undefined;
  if (issuer === undefined || clientId === undefined) {
    const given = [issuer, clientId, rolesClaim, personClaim, clientAuth, deviceFlow];
    if (given.every((value) => value === undefined)) return undefined;
    throw new UsageError('Sign-in needs both. Pass `--oidc-issuer` and `--oidc-client-id`.');
  }
  const clientSecret = environment['HOLDPOINT_OIDC_CLIENT_SECRET'] || undefined;
  const openId: OpenIdOptions = {
    issuer,
    clientId,
    clientSecret,
    clientAuth,
    rolesClaim,
    deviceFlow,
  };
  if (personClaim === undefined) return openId;
  const scope = personClaim === 'email' ? 'openid profile email' : undefined;
  return { ...openId, scope, personOf: personByClaim(personClaim) };
}

/** Identifies people by a claim. An e-mail address counts only if the provider has verified it. */
function personByClaim(claim: string): NonNullable<OpenIdOptions['personOf']> {
  return ({ [claim]: id, email_verified: isVerified, name }) => {
    if (typeof id !== 'string' || id === '') return undefined;
    if (claim === 'email' && isVerified !== true) return undefined;
    return { id, ...(typeof name === 'string' && { name }) };
  };
}

/** Creates a random token. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Authorizes requests that carry the token, as `caller`. */
export function authorizeByToken(token: string, caller: Caller): Authorize {
  const expected = hashOf(`Bearer ${token}`);
  return (request) => {
    const received = hashOf(request.headers.get('authorization') ?? '');
    return timingSafeEqual(received, expected) ? caller : undefined;
  };
}

/** Hashes a text, so that texts of all lengths can be compared in constant time. */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
