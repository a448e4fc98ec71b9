import type { Caller } from './caller.ts';
import { HttpProblem } from './http-problem.ts';
import { isJson, mayChange } from './json-body.ts';

/** The origin of a request, as the browser reports it; `unknown` if it does not. */
export type Origin = 'own' | 'foreign' | 'unknown';

/**
 * Returns the origin of a request. Pages cannot set `Sec-Fetch-Site`. If a browser does not send it, `Origin`
 * must be the address of the desk.
 *
 * @param url - The public address of the desk. If missing, the address of the request.
 */
export function originOf({ headers, url: requested }: Request, url: string | undefined): Origin {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return 'foreign';
  const origin = headers.get('origin');
  if (origin === null) return site === null ? 'unknown' : 'own';
  if (url !== undefined) return origin === new URL(url).origin ? 'own' : 'foreign';
  // A proxy may have changed the address of the request, so `Sec-Fetch-Site` takes precedence.
  if (site !== null) return 'own';
  return URL.canParse(origin) && new URL(origin).host === new URL(requested).host
    ? 'own'
    : 'foreign';
}

/** The header that scripts of the desk's own pages send. */
const CSRF_HEADER = 'x-holdpoint-csrf';

/**
 * Rejects a change that another site may have caused a browser to send.
 *
 * If the browser sends the credentials automatically, the request needs a header and an origin that
 * only a page of the desk can have. With other credentials or without any, it must not be a plain
 * form of another site.
 *
 * @param credential - The credential that authenticated the caller, if it is known.
 */
export function requireOwnSite(
  request: Request,
  url: string | undefined,
  credential?: Caller['credential'],
): void {
  if (!mayChange(request)) return;
  if (!isAmbient(request, credential)) {
    // A browser asks the desk for permission before it sends JSON or this header from another site.
    const isScript = isJson(request) || request.headers.get(CSRF_HEADER) !== null;
    if (!isScript && originOf(request, url) === 'foreign') throw foreign('Send it as JSON.');
    return;
  }
  if (request.headers.get(CSRF_HEADER) === null) {
    throw foreign(`Send the header \`${CSRF_HEADER}: 1\`.`);
  }
  if (originOf(request, url) !== 'own') throw foreign('Send it from a page of this desk.');
}

/**
 * Browsers send cookies and stored passwords automatically, but never bearer tokens. A bearer token
 * next to a cookie proves nothing: a proxy may have added it, and the cookie may have authenticated
 * the caller.
 */
function isAmbient({ headers }: Request, credential: Caller['credential']): boolean {
  if (credential !== undefined) return credential === 'cookie';
  if (headers.get('cookie') !== null) return true;
  const authorization = headers.get('authorization');
  return authorization !== null && !/^bearer /i.test(authorization);
}

/** Returns the problem of a request from another site. */
export function foreign(advice: string): HttpProblem {
  return new HttpProblem({
    status: 403,
    code: 'foreign-site',
    message: `The request may come from another site, so nothing was done. ${advice}`,
  });
}
