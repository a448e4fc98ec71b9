import { checkPerson, checkRoles } from '../desk/check-answer.ts';
import { checkName } from '../desk/check-name.ts';
import { checkSignInOptions } from './check-sign-in-options.ts';
import { checkUrl } from '../desk/check-url.ts';
import { reporterOf } from '../errors/report-error.ts';
import type { Caller } from '../http/caller.ts';
import type { Entrance, EntrancePath } from '../http/entrance.ts';
import { Cookies } from './cookies.ts';
import { endAccess } from './end-access.ts';
import { findEntry, makeEntry, takeEntry } from './entry-link.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { foreign, originOf } from '../http/own-site.ts';
import { readForm } from '../http/pages/read-form.ts';
import type { Store } from '../store/store.ts';
import { OpenIdSignIn } from './open-id-sign-in.ts';
import { entryPage, noEntryPage, noSignInPage } from './pages.ts';
import { Sessions } from './sessions.ts';
import { SESSION_COOKIE, sessionResponse } from './session-response.ts';
import type { SignInOptions } from './sign-in-options.ts';

/** For whom an entry link is made. */
export interface EntryLinkOptions extends Caller {
  /** How long it can be used, in milliseconds; an hour unless given. */
  readonly expiresAfter?: number | undefined;
}

/** How people come in with a browser: give it to `deskApp` as `entrance`. */
export interface SignIn extends Entrance {
  /** An address that lets one person in, once. Whoever has it is taken for them. */
  entryLink(options: EntryLinkOptions): Promise<string>;
  /**
   * Ends the access of a person, in whichever spelling of the id: all sessions, and entry links and answer
   * links that were not used yet. Returns the number of sessions. Also remove the person from your provider
   * or from `authorize`, or they sign in again.
   */
  endSessionsOf(personId: string, tenant?: string): Promise<number>;
}

const AN_HOUR = 60 * 60_000;

/**
 * Lets people sign in: with an OpenID provider, or with links that let somebody in once. Sessions are kept
 * in the store, and a cookie names them.
 *
 * @example
 * const entrance = signIn({ store, url, openId: { issuer, clientId, clientSecret } })
 * const app = deskApp(desk, { entrance })
 */
export function signIn(options: SignInOptions): SignIn {
  checkSignInOptions(options);
  return new SessionSignIn(options);
}

class SessionSignIn implements SignIn {
  readonly signInPath: string | undefined;
  readonly #store: Store;
  readonly #url: string;
  readonly #sessions: Sessions;
  readonly #cookies: Cookies;
  readonly #openId: OpenIdSignIn | undefined;

  constructor(options: SignInOptions) {
    const { store, openId, idleAfter = 2 * AN_HOUR, endsAfter = 12 * AN_HOUR } = options;
    this.#store = store;
    this.#url = checkUrl('url of the desk', options.url);
    this.#sessions = new Sessions(store, { idleAfter, endsAfter });
    this.#cookies = new Cookies(this.#url);
    if (openId === undefined) return;
    this.signInPath = '/sign-in';
    this.#openId = new OpenIdSignIn({
      openId,
      store,
      url: this.#url,
      sessions: this.#sessions,
      cookies: this.#cookies,
      onError: reporterOf(options.onError),
    });
  }

  readonly authorize = async (request: Request): Promise<Caller | undefined> => {
    const token = this.#cookies.read(request, SESSION_COOKIE);
    if (token === undefined) return undefined;
    // Streams of events are opened again and again by a page that nobody looks at.
    const isUse = !new URL(request.url).pathname.endsWith('/events');
    return this.#sessions.find(token, { isUse });
  };

  async respond(request: Request, path: EntrancePath): Promise<Response> {
    if (path === '/enter')
      return request.method === 'POST' ? this.#enter(request) : this.#ask(request);
    if (request.method === 'POST') throw noPost();
    if (this.#openId === undefined) return noSignInPage();
    return path === '/sign-in' ? this.#openId.begin(request) : this.#openId.finish(request);
  }

  async signOut(request: Request): Promise<Headers> {
    const token = this.#cookies.read(request, SESSION_COOKIE);
    if (token !== undefined) await this.#sessions.end(token);
    return new Headers({ 'set-cookie': this.#cookies.forget(SESSION_COOKIE) });
  }

  async entryLink({ expiresAfter = AN_HOUR, ...caller }: EntryLinkOptions): Promise<string> {
    const checked = {
      tenant: checkName('tenant', caller.tenant),
      person: checkPerson('whoever gets the link', caller.person),
      roles: checkRoles(caller.roles ?? []),
    };
    return `${this.#url}/enter?token=${await makeEntry(this.#store, checked, expiresAfter)}`;
  }

  endSessionsOf(personId: string, tenant = 'default'): Promise<number> {
    return endAccess(this.#store, tenant, personId);
  }

  /** Whoever only looks at a link, as scanners do, changes nothing. */
  async #ask(request: Request): Promise<Response> {
    const token = new URL(request.url).searchParams.get('token') ?? '';
    const caller = await this.#store.read((tx) => findEntry(tx, token));
    if (caller === undefined) return noEntryPage();
    return entryPage(
      `${new URL(this.#url).pathname.replace(/\/$/, '')}/enter`,
      token,
      caller.person,
    );
  }

  /** Another site must not sign anybody in: they would answer as somebody else. */
  async #enter(request: Request): Promise<Response> {
    if (originOf(request, this.#url) !== 'own') throw foreign('Open the link itself.');
    const token = (await readForm(request)).get('token') ?? '';
    const before = this.#cookies.read(request, SESSION_COOKIE);
    const session = await this.#store.write(async (tx) => {
      const caller = await takeEntry(tx, token);
      return caller && this.#sessions.begin(tx, caller, before);
    });
    if (session === undefined) return noEntryPage();
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
    message: 'Nothing can be sent here.',
  });
}
