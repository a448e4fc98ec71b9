import type { Desk } from '../../desk/desk.ts';
import { KEY_PREFIX } from '../../links/api-key.ts';
import { ACCOUNT_PREFIX } from '../../model/key-scope.ts';
import { bearerToken } from '../bearer-token.ts';
import type { Caller } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';

/**
 * Returns the service account whose key a request has; `undefined` if it has none. A key that is not valid is
 * rejected, and never passed to `authorize`.
 */
export async function keyCaller(desk: Desk, request: Request): Promise<Caller | undefined> {
  const key = bearerToken(request) ?? '';
  if (!key.startsWith(KEY_PREFIX)) return undefined;
  const found = await desk.keys.find(key);
  if (found === undefined) throw invalidKey();
  const { tenant, account: person, scopes } = found;
  const account = { name: person.id.slice(ACCOUNT_PREFIX.length), scopes };
  return Object.freeze({ tenant, person, roles: [], credential: 'token', account });
}

function invalidKey(): HttpProblem {
  return new HttpProblem({
    status: 401,
    code: 'unauthenticated',
    message: 'The key is unknown, expired or revoked. Ask an administrator for another one.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}
