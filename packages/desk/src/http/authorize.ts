import { checkPerson } from '../desk/check-answer.ts';
import { checkName } from '../desk/check-name.ts';
import type { Authorize, Caller, Refusal } from './caller.ts';
import { HttpProblem } from './http-problem.ts';
import { ofApplication } from './of-application.ts';

/** Who a request is from, checked; throws if they are not let in. */
export async function callerOf(
  authorize: Authorize | undefined,
  request: Request,
): Promise<Caller> {
  if (authorize === undefined) throw noAuthorize();
  const said = await ofApplication('authorize', async () => checkSaid(await authorize(request)));
  if ('refused' in said) throw refused(said);
  return said;
}

function checkSaid(said: Caller | Refusal | undefined): Caller | Refusal {
  if (said === undefined) return { refused: 401 };
  if ('refused' in said) return said;
  return Object.freeze({
    tenant: checkName('tenant of whoever asks', said.tenant),
    person: checkPerson('whoever asks', said.person),
    roles: Object.freeze([...(said.roles ?? [])]),
    ...((said.credential === 'cookie' || said.credential === 'token') && {
      credential: said.credential,
    }),
    ...(said.signOut !== undefined && { signOut: String(said.signOut) }),
  });
}

/** Nobody has said who may come in, so nobody may. */
function noAuthorize(): HttpProblem {
  return new HttpProblem({
    status: 401,
    code: 'no-authorize',
    message:
      'This desk lets nobody in: it was opened without `authorize`. Give openDesk a function that says who a request is from.',
    headers: CHALLENGE,
  });
}

const CHALLENGE = { 'www-authenticate': 'Bearer' };

function refused({ refused: status, message, signIn }: Refusal): HttpProblem {
  if (status === 403) {
    return new HttpProblem({
      status,
      code: 'forbidden',
      message: message ?? 'You may not do this.',
    });
  }
  return new HttpProblem({
    status: 401,
    code: 'unauthenticated',
    message: message ?? 'Say who you are: sign in, or send a token.',
    details: { ...(signIn !== undefined && { signIn }) },
    headers: CHALLENGE,
  });
}
