import { KEY_SCOPES, type KeyScope } from '../../model/key-scope.ts';
import type { Caller } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';

/** Routes with the scopes of which a key needs one. The first match counts. */
const ROUTES: readonly (readonly [method: string, path: RegExp, scopes: readonly KeyScope[]])[] = [
  ['GET', /^\/(me|health)$/, KEY_SCOPES],
  ['GET', /^\/requests(\/[^/]+)?$/, ['request', 'read']],
  ['GET', /^\/(keys|dead-letters)$/, ['administer']],
  ['GET', /\/export$/, ['administer']],
  ['GET', /^\/(runs|holds|grants|conversations)(\/.*)?$/, ['read']],
  ['GET', /^\/events$/, ['read']],
  ['POST', /^\/requests(\/[^/]+\/(callback|cancel|claim|heartbeat|release|settle))?$/, ['request']],
  ['POST', /^\/runs(\/[^/]+\/(cancel|retry))?$/, ['start']],
  ['POST', /^\/conversations\/[^/]+\/messages$/, ['start']],
  ['POST', /^\/holds\/([^/]+\/(callback|decision|edit-preview)|decisions)$/, ['decide']],
  ['POST', /^\/grants\/[^/]+\/revoke$/, ['decide']],
];

/** Returns the scopes of which a key needs one for a route below `/v1`. Other routes are for administrators. */
function scopesFor(method: string, path: string): readonly KeyScope[] {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = ROUTES.find(([one, pattern]) => one === wanted && pattern.test(path));
  return route?.[2] ?? ['administer'];
}

/** Throws unless the key of a service account has a scope for a route. People have no keys, and all routes. */
export function requireScope({ account }: Caller, method: string, path: string): void {
  if (account === undefined) return;
  const scopes = scopesFor(method, path);
  if (account.scopes.some((scope) => scopes.includes(scope))) return;
  throw new HttpProblem({
    status: 403,
    code: 'forbidden',
    message: `The key of \`${account.name}\` has no scope for this. Nothing was written. It needs one of: ${scopes.join(', ')}.`,
    details: { scopes: [...scopes] },
  });
}
