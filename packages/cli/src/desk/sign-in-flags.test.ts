import { describe, expect, it } from 'vitest';
import { readSignInFlags } from './sign-in-flags.ts';

describe('how people come in', () => {
  it('is by the token of the machine unless something is said', () => {
    expect(readSignInFlags({}, {})).toEqual({ url: undefined, openId: undefined });
  });

  it('is by a provider, with a secret from the environment', () => {
    const values = { 'oidc-issuer': 'https://login.example', 'oidc-client-id': 'desk' };

    expect(readSignInFlags(values, { HOLDPOINT_OIDC_CLIENT_SECRET: 's' }).openId).toMatchObject({
      issuer: 'https://login.example',
      clientId: 'desk',
      clientSecret: 's',
    });
    expect(readSignInFlags(values, { HOLDPOINT_OIDC_CLIENT_SECRET: '' }).openId).toMatchObject({
      clientSecret: undefined,
    });
  });

  it('goes by a claim that several accounts of somebody share, if that is to be trusted', async () => {
    const named = async (claim: string, claims: Record<string, unknown>) => {
      const values = {
        'oidc-issuer': 'https://login.example',
        'oidc-client-id': 'desk',
        'oidc-person-claim': claim,
      };
      const { openId } = readSignInFlags(values, {});
      return openId?.personOf?.({ iss: 'i', sub: 's', ...claims });
    };

    expect(await named('employee', { employee: 'E1', name: 'Grace' })).toEqual({
      id: 'E1',
      name: 'Grace',
    });
    for (const employee of ['', 7, undefined, { id: 'E1' }]) {
      expect(await named('employee', { employee })).toBeUndefined();
    }
    const email = 'grace@example.com';
    expect(await named('email', { email, email_verified: true })).toEqual({ id: email });
    for (const email_verified of [false, 'true', undefined]) {
      expect(await named('email', { email, email_verified })).toBeUndefined();
    }
  });

  it.each([
    { 'oidc-issuer': 'https://login.example' },
    { 'oidc-client-id': 'desk' },
    { 'oidc-roles-claim': 'groups' },
    { 'oidc-issuer': 'https://a.example', 'oidc-client-id': 'b', 'oidc-client-auth': 'jwt' },
  ])('is not by half a provider: %j', (values) => {
    expect(() => readSignInFlags(values, {})).toThrow(/--oidc/);
  });
});
