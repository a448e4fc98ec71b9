import type { Caller } from './caller.ts';
import { HttpProblem } from './http-problem.ts';

/** What a browser says about where a request comes from; `unknown` if it says nothing. */
export type Origin = 'own' | 'foreign' | 'unknown';

/**
 * Whether a request comes from a page of the desk itself. `Sec-Fetch-Site` cannot be set by pages; where a
 * browser does not send it, `Origin` has to name the own address.
 *
 * @param url - Where people reach the desk, if that is known. Otherwise it is what the request names.
 */
export function originOf({ headers, url: asked }: Request, url: string | undefined): Origin {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return 'foreign';
  const origin = headers.get('origin');
  if (origin === null) return site === null ? 'unknown' : 'own';
  if (url !== undefined) return origin === new URL(url).origin ? 'own' : 'foreign';
  // A proxy may have changed the address that is asked for; browsers that say more are believed.
  if (site !== null) return 'own';
  return URL.canParse(origin) && new URL(origin).host === new URL(asked).host ? 'own' : 'foreign';
}

const HARMLESS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Returns true if a request may change something, by its method. */
export function mayChange({ method }: Request): boolean {
  return !HARMLESS.includes(method);
}

/** The header that scripts of the own site send. */
const CSRF_HEADER = 'x-holdpoint-csrf';

/**
 * Refuses a request that another site may have made a browser send: one that changes something, with
 * credentials that browsers send by themselves, and without what only a page of the desk can add.
 *
 * @param credential - The credential that authenticated the caller, if it is known.
 */
export function requireOwnSite(
  request: Request,
  url: string | undefined,
  credential?: Caller['credential'],
): void {
  if (!mayChange(request) || !isAmbient(request, credential)) return;
  if (request.headers.get(CSRF_HEADER) === null) {
    throw foreign(`Send the header '${CSRF_HEADER}: 1' with it.`);
  }
  if (originOf(request, url) !== 'own') throw foreign('It does not come from a page of this desk.');
}

/**
 * Cookies and passwords that browsers know are sent by themselves; bearer tokens never are. A bearer token
 * beside a cookie says nothing: a proxy may have added it, and the cookie may have authenticated the caller.
 */
function isAmbient({ headers }: Request, credential: Caller['credential']): boolean {
  if (credential !== undefined) return credential === 'cookie';
  if (headers.get('cookie') !== null) return true;
  const authorization = headers.get('authorization');
  return authorization !== null && !/^bearer /i.test(authorization);
}

/** A request was refused because of where it comes from. */
export function foreign(why: string): HttpProblem {
  return new HttpProblem({
    status: 403,
    code: 'foreign-site',
    message: `This request may come from another site, so nothing was done. ${why}`,
  });
}
