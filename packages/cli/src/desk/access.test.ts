import { describe, expect, it } from 'vitest';
import { authorizeByToken, newToken, openIdOptions } from './access.ts';

const caller = { tenant: 'default', person: { id: 'ada' } };
const authorize = (token: string, authorization?: string) => {
  const headers: HeadersInit = authorization === undefined ? {} : { authorization };
  return authorizeByToken(token, caller)(new Request('http://desk.test', { headers }));
};

describe('the token of a desk', () => {
  it('authorizes a request that carries it', () => {
    const token = newToken();

    expect(authorize(token, `Bearer ${token}`)).toBe(caller);
  });

  it.each([undefined, '', 'Bearer', 'Bearer secre', 'Bearer secrets', 'secret', 'Basic secret'])(
    'does not authorize the header “%s”',
    (authorization) => {
      expect(authorize('secret', authorization)).toBeUndefined();
    },
  );

  it('is random', () => {
    expect(newToken()).not.toBe(newToken());
    expect(newToken().length).toBeGreaterThanOrEqual(32);
  });
});

describe('OpenID options', () => {
  const provider = { oidcIssuer: 'https://login.example', oidcClientId: 'desk' };

  it('are undefined without a provider', () => {
    expect(openIdOptions({}, {})).toBeUndefined();
  });

  it('take the secret from the environment', () => {
    expect(openIdOptions(provider, { HOLDPOINT_OIDC_CLIENT_SECRET: 's' })).toMatchObject({
      issuer: 'https://login.example',
      clientId: 'desk',
      clientSecret: 's',
    });
    expect(openIdOptions(provider, { HOLDPOINT_OIDC_CLIENT_SECRET: '' })).toMatchObject({
      clientSecret: undefined,
    });
  });

  it('identify a person by a claim, and by an e-mail address only if it is verified', async () => {
    const personBy = async (claim: string, claims: Record<string, unknown>) => {
      const openId = openIdOptions({ ...provider, oidcPersonClaim: claim }, {});
      return openId?.personOf?.({ iss: 'i', sub: 's', ...claims });
    };

    expect(await personBy('employee', { employee: 'E1', name: 'Grace' })).toEqual({
      id: 'E1',
      name: 'Grace',
    });
    for (const employee of ['', 7, undefined, { id: 'E1' }]) {
      expect(await personBy('employee', { employee })).toBeUndefined();
    }
    const email = 'grace@example.com';
    expect(await personBy('email', { email, email_verified: true })).toEqual({ id: email });
    for (const email_verified of [false, 'true', undefined]) {
      expect(await personBy('email', { email, email_verified })).toBeUndefined();
    }
  });

  it.each([
    { oidcIssuer: 'https://login.example' },
    { oidcClientId: 'desk' },
    { oidcRolesClaim: 'groups' },
  ])('are rejected if they are incomplete: %j', (options) => {
    expect(() => openIdOptions(options, {})).toThrow(/--oidc/);
  });
});
