import type { OpenIdOptions } from '@holdpoint/desk/sign-in';
import { type Option, UsageError } from '../commands/command.ts';
import type { OptionValues } from '../commands/read-arguments.ts';

type SignInOption =
  | 'url'
  | 'oidc-issuer'
  | 'oidc-client-id'
  | 'oidc-roles-claim'
  | 'oidc-person-claim'
  | 'oidc-client-auth';

/** What `holdpoint desk` can be told about how people come in. */
export const SIGN_IN_OPTIONS: Readonly<Record<SignInOption, Option & { readonly kind: 'text' }>> = {
  url: {
    kind: 'text',
    value: '<address>',
    help: 'where people reach it, if that is elsewhere: https://…',
  },
  'oidc-issuer': {
    kind: 'text',
    value: '<address>',
    help: 'people sign in with this OpenID provider',
  },
  'oidc-client-id': { kind: 'text', value: '<id>', help: 'as what the desk is registered there' },
  'oidc-roles-claim': {
    kind: 'text',
    value: '<name>',
    help: 'the claim with their roles; roles unless given',
  },
  'oidc-person-claim': {
    kind: 'text',
    value: '<name>',
    help: 'the claim that says who somebody is; issuer and subject unless given',
  },
  'oidc-client-auth': {
    kind: 'text',
    value: '<way>',
    help: 'how the secret is sent: basic, unless given, or post',
  },
};

/** How people come in. */
export interface SignInFlags {
  /** Where people reach the desk, where that is not where it listens. */
  readonly url: string | undefined;
  readonly openId: OpenIdOptions | undefined;
}

/** Reads it. The secret comes from the environment: what is typed can be seen by others on the machine. */
export function readSignInFlags(
  values: OptionValues<typeof SIGN_IN_OPTIONS>,
  environment: NodeJS.ProcessEnv,
): SignInFlags {
  const { url, 'oidc-issuer': issuer, 'oidc-client-id': clientId } = values;
  const { 'oidc-roles-claim': rolesClaim, 'oidc-client-auth': clientAuth } = values;
  const personClaim = values['oidc-person-claim'];
  if (issuer === undefined || clientId === undefined) {
    const given = [issuer, clientId, rolesClaim, personClaim, clientAuth].some(
      (one) => one !== undefined,
    );
    if (given) throw new UsageError('--oidc-issuer and --oidc-client-id go together.');
    return { url, openId: undefined };
  }
  if (clientAuth !== undefined && clientAuth !== 'basic' && clientAuth !== 'post') {
    throw new UsageError(`--oidc-client-auth is basic or post, and not '${clientAuth}'.`);
  }
  const clientSecret = environment['HOLDPOINT_OIDC_CLIENT_SECRET'] || undefined;
  const openId: OpenIdOptions = { issuer, clientId, clientSecret, clientAuth, rolesClaim };
  if (personClaim === undefined) return { url, openId };
  const scope = personClaim === 'email' ? 'openid profile email' : undefined;
  return { url, openId: { ...openId, scope, personOf: personBy(personClaim) } };
}

/** Several accounts with the same claim are one person. An address counts if the provider has checked it. */
function personBy(claim: string): NonNullable<OpenIdOptions['personOf']> {
  return ({ [claim]: id, email_verified: isVerified, name }) => {
    if (typeof id !== 'string' || id === '') return undefined;
    if (claim === 'email' && isVerified !== true) return undefined;
    return { id, ...(typeof name === 'string' && { name }) };
  };
}
