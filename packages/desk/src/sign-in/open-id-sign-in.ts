import type { Logger } from '../errors/logger.ts';
import type { ReportError } from '../errors/report-error.ts';
import type { Store } from '../store/store.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { callerOfClaims } from './caller-of-claims.ts';
import type { Cookies } from './cookies.ts';
import type { BegunSignIn, OpenId } from './open-id.ts';
import type { OpenIdOptions } from './open-id-options.ts';
import { failedPage } from './pages.ts';
import { returnAddress } from './return-to.ts';
import { SESSION_COOKIE, sessionResponse } from './session-response.ts';
import type { Sessions } from './sessions.ts';

/** The dependencies of {@link OpenIdSignIn}. */
export interface OpenIdDeps {
  readonly openId: OpenIdOptions;
  readonly provider: OpenId;
  readonly store: Store;
  readonly url: string;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly onError: ReportError;
  readonly logger: Logger;
}

/** The cookie that binds a sign-in to the browser in which it was begun. */
const BEGUN_COOKIE = 'holdpoint-sign-in';
/** Milliseconds in which a person must finish a sign-in. */
const MAX_SIGN_IN_MS = 10 * 60_000;

/** The content of the cookie: the state of the sign-in, and the page that the visitor requested. */
interface Begun extends BegunSignIn {
  readonly returnTo: string;
}

/** The two requests of a sign-in: to the provider, and back from it. */
export class OpenIdSignIn {
  readonly #deps: OpenIdDeps;

  constructor(deps: OpenIdDeps) {
    this.#deps = deps;
  }

  /** Redirects the visitor to the provider. */
  async begin(request: Request, requestId?: string): Promise<Response> {
    const { url, cookies, provider } = this.#deps;
    const returnTo = returnAddress(url, new URL(request.url).searchParams.get('returnTo'));
    try {
      const { address, begun } = await provider.begin();
      const kept = Buffer.from(JSON.stringify({ ...begun, returnTo })).toString('base64url');
      return sessionResponse(address, [cookies.keep(BEGUN_COOKIE, kept, MAX_SIGN_IN_MS)]);
    } catch (error) {
      return this.#failed(error, 'The identity provider did not respond.', requestId);
    }
  }

  /** Handles the redirect back from the provider, and starts a new session. */
  async finish(request: Request, requestId?: string): Promise<Response> {
    const { url, cookies, sessions, store, openId, provider } = this.#deps;
    const begun = readBegun(cookies.read(request, BEGUN_COOKIE));
    if (begun === undefined) {
      return this.#failed(
        undefined,
        'This sign-in was not started in this browser, or it has expired.',
        requestId,
      );
    }
    try {
      const claims = await provider.finish(new URL(request.url).search, begun);
      const caller = await callerOfClaims(claims, openId);
      const before = cookies.read(request, SESSION_COOKIE);
      const session = await store.write((tx) => sessions.begin(tx, caller, before));
      // A visitor can change the cookie, so its address is validated again.
      const { pathname, search, hash } = new URL(begun.returnTo, url);
      return sessionResponse(returnAddress(url, `${pathname}${search}${hash}`), [
        cookies.keep(SESSION_COOKIE, session, sessions.endsAfter),
        cookies.forget(BEGUN_COOKIE),
      ]);
    } catch (error) {
      return this.#failed(error, 'The response of the identity provider is not valid.', requestId);
    }
  }

  /** Shows that the sign-in failed. Details go to the operator only, because they may contain secrets. */
  #failed(error: unknown, why: string, requestId: string | undefined): Response {
    const { url, cookies, onError, logger } = this.#deps;
    const headers = new Headers({ 'set-cookie': cookies.forget(BEGUN_COOKIE) });
    const again = `${url}/sign-in`;
    const reason = error instanceof HttpProblem ? error.message : why;
    logger.warn({ event: 'sign-in-rejected', requestId, reason }, 'A sign-in was rejected.');
    if (error instanceof HttpProblem)
      return failedPage(error.status, error.message, again, headers);
    if (error !== undefined) onError(error, { requestId });
    return failedPage(error === undefined ? 400 : 502, why, again, headers);
  }
}

function readBegun(text: string | undefined): Begun | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const { state, nonce, verifier, returnTo } = Object(value) as Record<string, unknown>;
    const isStarted = [state, nonce, verifier, returnTo].every((one) => typeof one === 'string');
    return isStarted ? (value as Begun) : undefined;
  } catch {
    return undefined;
  }
}
