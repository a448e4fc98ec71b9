import { checkPerson, checkRoles } from '../desk/check-decision.ts';
import { checkName } from '../desk/check-name.ts';
import { checkSignInOptions } from './check-sign-in-options.ts';
import { checkUrl } from '../desk/check-url.ts';
import type { Logger } from '../errors/logger.ts';
import { reporterOf } from '../errors/report-error.ts';
import type { Caller } from '../http/caller.ts';
import { bearerToken } from '../http/bearer-token.ts';
import {
  type DeviceSignIn,
  SESSION_PREFIX,
  type SignInPath,
  type SignInProvider,
} from '../http/entrance.ts';
import { Cookies } from './cookies.ts';
import { endAccess } from './end-access.ts';
import { findSignIn, createSignInToken, useSignInToken } from './sign-in-link.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { foreign, originOf } from '../http/own-site.ts';
import { readForm } from '../http/pages/read-form.ts';
import { checkOptions, type KeysOf } from '../model/check-keys.ts';
import type { Store } from '../store/store.ts';
import { OpenIdDeviceSignIn } from './open-id-device-sign-in.ts';
import { OpenId } from './open-id.ts';
import { OpenIdSignIn } from './open-id-sign-in.ts';
import { entryPage, noEntryPage, noSignInPage } from './pages.ts';
import { type SessionCredential, Sessions } from './sessions.ts';
import { SESSION_COOKIE, sessionResponse } from './session-response.ts';
import type { SignInOptions } from './sign-in-options.ts';

/** The person of a sign-in link, and its validity. */
export interface SignInLinkOptions extends Omit<Caller, 'account'> {
  /** Milliseconds after which the link expires; an hour by default. */
  readonly expiresAfter?: number | undefined;
}

/** A link that signs one person in, once. */
export interface SignInLink {
  readonly url: string;
  readonly expiresAt: number;
}

/** The sign-in of people in browsers. Pass it to `deskApp` as `signIn`. */
export interface SignIn extends SignInProvider {
  /** Creates a link that signs one person in, once. Send it to this person only. */
  signInLink(options: SignInLinkOptions): Promise<SignInLink>;
  /**
   * Ends the access of a person: all sessions, and all unused sign-in links, decision links and
   * callback addresses. Any spelling of the id matches. Returns the number of sessions. Also remove
   * the person from your provider or from `authorize`; otherwise they can sign in again.
   */
  endSessionsOf(personId: string, tenant?: string): Promise<number>;
}

const AN_HOUR = 60 * 60_000;

const LINK_OPTIONS: KeysOf<SignInLinkOptions> = {
  tenant: true,
  person: true,
  roles: true,
  credential: true,
  signOut: true,
  expiresAfter: true,
};

/**
 * Signs people in with an OpenID provider, or with links that work once. Sessions are rows of the store, and a cookie
 * names the session.
 *
 * @example
 * const app = deskApp(desk, { signIn: signIn({ store, url, openId: { issuer, clientId, clientSecret } }) })
 */
export function signIn(options: SignInOptions): SignIn {
  checkSignInOptions(options);
  return new SessionSignIn(options);
}

class SessionSignIn implements SignIn {
  readonly signInPath: string | undefined;
  readonly device: DeviceSignIn | undefined;
  readonly #store: Store;
  readonly #url: string;
  readonly #sessions: Sessions;
  readonly #cookies: Cookies;
  readonly #openId: OpenIdSignIn | undefined;
  readonly #logger: Logger;

  constructor(options: SignInOptions) {
    const { store, openId, idleAfter = 2 * AN_HOUR, endsAfter = 12 * AN_HOUR } = options;
    const { logger, onError } = reporterOf(options);
    this.#store = store;
    this.#logger = logger;
    this.#url = checkUrl('`url` of `signIn`', options.url);
    this.#sessions = new Sessions(store, { idleAfter, endsAfter });
    this.#cookies = new Cookies(this.#url);
    if (openId === undefined) return;
    this.signInPath = '/sign-in';
    const shared = { openId, store, sessions: this.#sessions, onError, logger };
    const provider = new OpenId(openId, `${this.#url}/sign-in/callback`);
    this.#openId = new OpenIdSignIn({
      ...shared,
      provider,
      url: this.#url,
      cookies: this.#cookies,
    });
    if (openId.deviceFlow) this.device = new OpenIdDeviceSignIn({ ...shared, provider });
  }

  readonly authorize = async (request: Request): Promise<Caller | undefined> => {
    const session = this.#sessionOf(request);
    if (session === undefined) return undefined;
    // A page in the background reopens its event stream repeatedly, which must not extend the
    // session.
    const isUse = !new URL(request.url).pathname.endsWith('/events');
    return this.#sessions.find(session, { isUse });
  };

  async respond(request: Request, path: SignInPath, requestId?: string): Promise<Response> {
    if (path === '/enter')
      return request.method === 'POST' ? this.#enter(request, requestId) : this.#showForm(request);
    if (request.method === 'POST') throw noPost();
    if (this.#openId === undefined) return noSignInPage();
    return path === '/sign-in'
      ? this.#openId.begin(request, requestId)
      : this.#openId.finish(request, requestId);
  }

  async signOut(request: Request): Promise<Headers> {
    const session = this.#sessionOf(request);
    if (session !== undefined) await this.#sessions.end(session);
    return new Headers({ 'set-cookie': this.#cookies.forget(SESSION_COOKIE) });
  }

  /** Returns the session that a request names. A bearer token takes precedence, because programs send no cookies. */
  #sessionOf(request: Request): SessionCredential | undefined {
    const bearer = bearerToken(request);
    if (bearer?.startsWith(SESSION_PREFIX)) {
      return { token: bearer.slice(SESSION_PREFIX.length), credential: 'token' };
    }
    const token = this.#cookies.read(request, SESSION_COOKIE);
    return token === undefined ? undefined : { token, credential: 'cookie' };
  }

  async signInLink(options: SignInLinkOptions): Promise<SignInLink> {
    checkOptions<SignInLinkOptions>('`signInLink`', options, LINK_OPTIONS);
    const { expiresAfter = AN_HOUR, ...caller } = options;
    const checked = {
      tenant: checkName('tenant', caller.tenant),
      person: checkPerson('the person who gets the link', caller.person),
      roles: checkRoles(caller.roles ?? []),
    };
    const { token, expiresAt } = await createSignInToken(this.#store, checked, expiresAfter);
    return Object.freeze({ url: `${this.#url}/enter?token=${token}`, expiresAt });
  }

  async endSessionsOf(personId: string, tenant = 'default'): Promise<number> {
    // Another value would end no session.
    const id = checkName('id of the person', personId);
    return endAccess(this.#store, checkName('tenant', tenant), id);
  }

  /** Shows the sign-in form. Scanners open links, so a GET changes nothing. */
  async #showForm(request: Request): Promise<Response> {
    const token = new URL(request.url).searchParams.get('token') ?? '';
    const caller = await this.#store.read((tx) => findSignIn(tx, token));
    if (caller === undefined) return noEntryPage();
    return entryPage(
      `${new URL(this.#url).pathname.replace(/\/$/, '')}/enter`,
      token,
      caller.person,
    );
  }

  /** Signs in the person of a link. Other sites must not submit the form: the visitor would act as another person. */
  async #enter(request: Request, requestId: string | undefined): Promise<Response> {
    if (originOf(request, this.#url) !== 'own') throw foreign('Open the link itself.');
    const token = (await readForm(request)).get('token') ?? '';
    const before = this.#cookies.read(request, SESSION_COOKIE);
    const session = await this.#store.write(async (tx) => {
      const caller = await useSignInToken(tx, token);
      return caller && this.#sessions.begin(tx, caller, before);
    });
    if (session === undefined) {
      const reason = 'The link was used, has expired, or was revoked.';
      this.#logger.warn(
        { event: 'sign-in-rejected', requestId, reason },
        'A sign-in was rejected.',
      );
      return noEntryPage();
    }
    const { endsAfter } = this.#sessions;
    return sessionResponse(`${this.#url}/inbox`, [
      this.#cookies.keep(SESSION_COOKIE, session, endsAfter),
    ]);
  }
}

function noPost(): HttpProblem {
  return new HttpProblem({
    status: 404,
    code: 'no-such-route',
    message: 'This address does not accept POST requests.',
  });
}
