import type { Person } from '../model/person.ts';

/** What the provider says about somebody. `sub` is theirs for ever, at this issuer. */
export type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

/** The OpenID provider with which people sign in. */
export interface OpenIdOptions {
  /** Its address, as it calls itself. */
  readonly issuer: string;
  readonly clientId: string;
  /** What the desk proves itself with; without one it is a public client. */
  readonly clientSecret?: string | undefined;
  /** How the secret is sent, as the client was registered; `basic` unless given. */
  readonly clientAuth?: 'basic' | 'post' | undefined;
  /** What is asked for; `openid profile` unless given. */
  readonly scope?: string | undefined;
  /** The claim with the roles of somebody; `roles` unless given. One inside of another is `a.b`. */
  readonly rolesClaim?: string | undefined;
  /**
   * Who somebody is, by what the provider says; `undefined` lets them not in. Unless given, issuer and subject
   * are the id. Give it where one person may have several accounts: each would be a person, with a vote.
   */
  readonly personOf?:
    | ((claims: Claims) => Person | undefined | Promise<Person | undefined>)
    | undefined;
  /**
   * The tenant whose runs they see; `default` unless given. A function returns the tenant by the claims, or
   * `undefined` to deny access. Use only claims that your provider controls, not those that people can edit.
   */
  readonly tenant?:
    | string
    | ((claims: Claims) => string | undefined | Promise<string | undefined>)
    | undefined;
}
