import { UserError } from 'holdpoint';
import { isSamePerson } from '../approvers/same-person.ts';
import { checkPerson, checkRoles } from '../desk/check-decision.ts';
import { checkName } from '../desk/check-name.ts';
import { kindOf } from '../model/check-keys.ts';
import { isAccountId } from '../model/key-scope.ts';
import type { Authorize, Caller, Rejection } from './caller.ts';
import { HttpProblem } from './http-problem.ts';

/** Returns the validated caller of a request. Throws if `authorize` does not accept the request. */
export async function callerOf(
  authorize: Authorize | undefined,
  request: Request,
): Promise<Caller> {
  if (authorize === undefined) throw noAuthorize();
  const result = await ofApplication('authorize', async () => {
    const given = await authorize(request);
    if (given === undefined) return undefined;
    requireCaller(given);
    return 'rejected' in given ? given : validCaller(given);
  });
  if (result === undefined) throw rejectionProblem({ rejected: 401 });
  if ('rejected' in result) throw rejectionProblem(result);
  return result;
}

/**
 * Calls a function of the application. Its errors are wrapped: an error of the desk that it throws must not
 * become the response.
 */
export async function ofApplication<Result>(
  name: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    throw new Error(`\`${name}\` failed, so the request was rejected.`, { cause });
  }
}

/**
 * Returns the credential that authenticated a caller. If a request has a cookie and a bearer token,
 * and `authorize` does not report the one that it used, it is called again without the cookie. The
 * token counts only if it alone authenticates the same person.
 */
export async function credentialOf(
  authorize: Authorize | undefined,
  request: Request,
  caller: Caller,
): Promise<Caller['credential']> {
  if (caller.credential !== undefined) return caller.credential;
  if (request.headers.get('cookie') === null) return undefined;
  if (!/^bearer /i.test(request.headers.get('authorization') ?? '')) return 'cookie';
  const headers = new Headers(request.headers);
  headers.delete('cookie');
  try {
    const { method, url } = request;
    const alone = await callerOf(authorize, new Request(url, { method, headers }));
    const isSame = alone.tenant === caller.tenant && isSamePerson(alone.person, caller.person);
    return isSame ? 'token' : 'cookie';
  } catch {
    // The token alone does not authenticate the caller.
    return 'cookie';
  }
}

/** Programs without types return anything, such as the person alone. */
function requireCaller(given: unknown): void {
  const advice = "Return `{ tenant: 'default', person: { id } }`, a rejection or `undefined`.";
  if (typeof given !== 'object' || given === null) {
    throw new UserError(`\`authorize\` returned ${kindOf(given)}. ${advice}`);
  }
  if ('rejected' in given || 'person' in given) return;
  throw new UserError(`\`authorize\` returned a caller without \`person\`. ${advice}`);
}

function validCaller(caller: Caller): Caller {
  const { credential, signOut } = caller;
  if (isAccountId(String(caller.person?.id))) {
    throw new UserError(
      'The id of the caller has the prefix of service accounts. Use another id than `service:…` in `authorize`.',
    );
  }
  return Object.freeze({
    tenant: checkName('tenant of the caller', caller.tenant),
    person: checkPerson('the caller', caller.person),
    roles: checkRoles(caller.roles ?? []),
    ...((credential === 'cookie' || credential === 'token') && { credential }),
    ...(signOut !== undefined && { signOut: String(signOut) }),
  });
}

const CHALLENGE = { 'www-authenticate': 'Bearer' };

function noAuthorize(): HttpProblem {
  return new HttpProblem({
    status: 401,
    code: 'no-authorize',
    message:
      'The desk was opened without `authorize`, so it accepts no request. Pass `authorize` to `openDesk`.',
    headers: CHALLENGE,
  });
}

function rejectionProblem({ rejected: status, message, signIn }: Rejection): HttpProblem {
  if (status === 403) {
    const text = message ?? 'You have no access to this desk.';
    return new HttpProblem({ status, code: 'forbidden', message: text });
  }
  return new HttpProblem({
    status: 401,
    code: 'unauthenticated',
    message: message ?? 'Missing or invalid credentials. Sign in, or send a token.',
    details: { ...(signIn !== undefined && { signIn }) },
    headers: CHALLENGE,
  });
}
