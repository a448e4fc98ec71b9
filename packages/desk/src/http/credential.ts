import { isSamePerson } from '../approvers/same-person.ts';
import { callerOf } from './authorize.ts';
import type { Authorize, Caller } from './caller.ts';

/**
 * Returns the credential that authenticated a caller. If a request has a cookie and a bearer token, and
 * `authorize` does not say which of them it used, `authorize` is called again without the cookie: the token
 * counts only if it authenticates the same person alone.
 */
export async function credentialOf(
  authorize: Authorize | undefined,
  request: Request,
  caller: Caller,
): Promise<Caller['credential']> {
  const isBearer = /^bearer /i.test(request.headers.get('authorization') ?? '');
  if (caller.credential !== undefined) return caller.credential;
  if (request.headers.get('cookie') === null) return undefined;
  if (!isBearer) return 'cookie';
  const headers = new Headers(request.headers);
  headers.delete('cookie');
  try {
    const { method, url } = request;
    const alone = await callerOf(authorize, new Request(url, { method, headers }));
    const isSame = alone.tenant === caller.tenant && isSamePerson(alone.person, caller.person);
    return isSame ? 'token' : 'cookie';
  } catch {
    // The token alone is not enough.
    return 'cookie';
  }
}
