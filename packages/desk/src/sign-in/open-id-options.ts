import type { Person } from '../model/person.ts';

/** The claims of the provider about a person. `iss` and `sub` identify the person permanently. */
export type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

/** The OpenID provider with which people sign in. */
export interface OpenIdOptions {
  /** The address of the provider, exactly as it names itself. */
  readonly issuer: string;
  readonly clientId: string;
  /** The secret of the desk; without one the desk is a public client. */
  readonly clientSecret?: string | undefined;
  /** How the secret is sent, as the client was registered; `basic` by default. */
  readonly clientAuth?: 'basic' | 'post' | undefined;
  /** The requested scopes; `openid profile` by default. */
  readonly scope?: string | undefined;
  /**
   * Lets programs without a browser sign people in with a code (RFC 8628); `false` by default. A person who enters a code
   * that an attacker sent signs the attacker in, so switch it on only if people use `holdpoint login --device`.
   */
  readonly deviceFlow?: boolean | undefined;
  /** The claim with the roles of the person; `roles` by default. `a.b` names a nested claim. */
  readonly rolesClaim?: string | undefined;
  /**
   * Returns the person for the claims, or `undefined` to deny access. By default the id is issuer
   * and subject. Pass it if a person may have several accounts. Otherwise each account would be a
   * person with its own vote.
   */
  readonly personOf?:
    | ((claims: Claims) => Person | undefined | Promise<Person | undefined>)
    | undefined;
  /**
   * The tenant of the person; `default` by default. A function returns the tenant for the claims,
   * or `undefined` to deny access. Use only claims that your provider controls, not claims that
   * people can edit.
   */
  readonly tenant?:
    | string
    | ((claims: Claims) => string | undefined | Promise<string | undefined>)
    | undefined;
}
