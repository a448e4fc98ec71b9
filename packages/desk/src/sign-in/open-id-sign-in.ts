import type { ReportError } from '../errors/report-error.ts';
import type { Store } from '../store/store.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { callerOfClaims } from './caller-of-claims.ts';
import type { Cookies } from './cookies.ts';
import { type BegunSignIn, OpenId } from './open-id.ts';
import type { OpenIdOptions } from './open-id-options.ts';
import { failedPage } from './pages.ts';
import { returnAddress } from './return-to.ts';
import { SESSION_COOKIE, sessionResponse } from './session-response.ts';
import type { Sessions } from './sessions.ts';

/** What is needed to sign people in with a provider. */
export interface OpenIdSurroundings {
  readonly openId: OpenIdOptions;
  readonly store: Store;
  /** Where people reach the desk. */
  readonly url: string;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly onError: ReportError;
}

/** The cookie that binds a sign-in to the browser in which it was begun. */
const BEGUN_COOKIE = 'holdpoint-sign-in';
/** How long somebody may take to sign in, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;

/** What the browser keeps: with whom it was begun, and where somebody wanted to go. */
interface Begun extends BegunSignIn {
  readonly returnTo: string;
}

/** The two requests of a sign-in: to the provider, and back from it. */
export class OpenIdSignIn {
  readonly #surroundings: OpenIdSurroundings;
  readonly #openId: OpenId;

  constructor(surroundings: OpenIdSurroundings) {
    this.#surroundings = surroundings;
    this.#openId = new OpenId(surroundings.openId, `${surroundings.url}/sign-in/callback`);
  }

  /** Sends somebody to the provider. */
  async begin(request: Request): Promise<Response> {
    const { url, cookies } = this.#surroundings;
    const returnTo = returnAddress(url, new URL(request.url).searchParams.get('returnTo'));
    try {
      const { address, begun } = await this.#openId.begin();
      const kept = Buffer.from(JSON.stringify({ ...begun, returnTo })).toString('base64url');
      return sessionResponse(address, [cookies.keep(BEGUN_COOKIE, kept, PATIENCE_MS)]);
    } catch (error) {
      return this.#failed(error, 'The provider does not answer.');
    }
  }

  /** Takes somebody back from the provider. They get a session that is new. */
  async finish(request: Request): Promise<Response> {
    const { url, cookies, sessions, store, openId } = this.#surroundings;
    const begun = readBegun(cookies.read(request, BEGUN_COOKIE));
    if (begun === undefined) {
      return this.#failed(
        undefined,
        'This sign-in was not begun in this browser, or too long ago.',
      );
    }
    try {
      const claims = await this.#openId.finish(new URL(request.url).search, begun);
      const caller = await callerOfClaims(claims, openId);
      const before = cookies.read(request, SESSION_COOKIE);
      const session = await store.write((tx) => sessions.begin(tx, caller, before));
      // The cookie is the browser's: where it leads to is looked at again.
      const { pathname, search, hash } = new URL(begun.returnTo, url);
      return sessionResponse(returnAddress(url, `${pathname}${search}${hash}`), [
        cookies.keep(SESSION_COOKIE, session, sessions.endsAfter),
        cookies.forget(BEGUN_COOKIE),
      ]);
    } catch (error) {
      return this.#failed(error, 'What came back from the provider cannot be taken.');
    }
  }

  /** What went wrong is for those who run the desk; it may hold anything. */
  #failed(error: unknown, why: string): Response {
    const { url, cookies, onError } = this.#surroundings;
    const headers = new Headers({ 'set-cookie': cookies.forget(BEGUN_COOKIE) });
    const again = `${url}/sign-in`;
    if (error instanceof HttpProblem)
      return failedPage(error.status, error.message, again, headers);
    if (error !== undefined) onError(error);
    return failedPage(error === undefined ? 400 : 502, why, again, headers);
  }
}

function readBegun(text: string | undefined): Begun | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const { state, nonce, verifier, returnTo } = Object(value) as Record<string, unknown>;
    const isBegun = [state, nonce, verifier, returnTo].every((one) => typeof one === 'string');
    return isBegun ? (value as Begun) : undefined;
  } catch {
    return undefined;
  }
}
